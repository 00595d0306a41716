// Symbolon for Oxide and Carbon. Links the Discord and Steam accounts of players, and keeps the groups of this server in
// step with Discord.
//
// Copyright (c) 2026 the Symbolon authors. MIT License: use, change and share this file freely, with this notice; it
// comes without any warranty.

using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Oxide.Core;
using Oxide.Core.Libraries;
using Oxide.Core.Libraries.Covalence;

namespace Oxide.Plugins
{
    [Info("Symbolon", "Symbolon", "1.0.0")]
    [Description("Links Discord and Steam accounts and keeps groups in step with Discord roles")]
    public class Symbolon : CovalencePlugin
    {
        private const string AdminPermission = "symbolon.admin";
        /// <summary>How often we look whether there is something to do. Players who join together are asked about together.</summary>
        private const float TickSeconds = 3f;
        private const float RequestTimeoutSeconds = 15f;
        /// <summary>A round of requests that takes longer is given up, whatever became of its last request.</summary>
        private const double RoundSeconds = 180;
        private const double LongestRestSeconds = 300;
        /// <summary>Players whose groups wait to be reported. More are reported when they join.</summary>
        private const int MostWaiting = 5000;
        /// <summary>Players in one report: everybody in many groups with long names is still a body that the service takes.</summary>
        private const int ReportedAtOnce = 100;
        /// <summary>What the service refuses as such, a Steam group that there is none of, is not asked for again so soon.</summary>
        private const double RefusedSeconds = 900;

        // In full: Oxide has a class of this name too.
        private readonly System.Random random = new System.Random();
        private Settings settings = new Settings();
        private bool isReady;

        /// <summary>Players of whom nobody has asked anything yet.</summary>
        private readonly HashSet<string> newcomers = new HashSet<string>();
        /// <summary>Players whose groups somebody changed, also while they were away.</summary>
        private readonly HashSet<string> changed = new HashSet<string>();
        /// <summary>Whether an account is linked, as far as it is known.</summary>
        private readonly Dictionary<string, bool> linked = new Dictionary<string, bool>();
        /// <summary>What the service was last told about those who are here.</summary>
        private readonly Dictionary<string, string> reportedGroups = new Dictionary<string, string>();
        private readonly Dictionary<string, string> reportedNames = new Dictionary<string, string>();

        /// <summary>Seconds since the plugin was loaded. Counted, so that a clock that is set changes nothing.</summary>
        private double now;
        private double nextPoll;
        private double restUntil;
        private int failures;
        private string trouble;
        /// <summary>Until when an action is not asked for.</summary>
        private readonly Dictionary<string, double> refusedUntil = new Dictionary<string, double>();
        private double lastSuccess = -1;

        /// <summary>The round that is running; null between rounds.</summary>
        private Round round;

        #region Settings

        private class Settings
        {
            [JsonProperty("Service address")]
            public string Address = "";
            [JsonProperty("Server key")]
            public string Key = "";
            [JsonProperty("Link page")]
            public string LinkPage = "";
            [JsonProperty("Group for linked players")]
            public string LinkedGroup = "";
            [JsonProperty("Group for Discord boosters")]
            public string BoosterGroup = "";
            [JsonProperty("Group for members of the Steam group")]
            public string SteamGroup = "";
            [JsonProperty("Seconds between checks")]
            public int PollSeconds = 60;
            [JsonProperty("Players per request")]
            public int PlayersPerRequest = 100;
            [JsonProperty("Settings stamp")]
            public string Stamp = "";

            /// <summary>Puts right what somebody may have left out or set to something that cannot work.</summary>
            public void Complete()
            {
                Address = (Address ?? "").Trim().TrimEnd('/');
                // The address of the API, as other plugins want it, is one of this service as well.
                if (Address.EndsWith("/api", StringComparison.Ordinal))
                {
                    Address = Address.Substring(0, Address.Length - "/api".Length);
                }
                Key = (Key ?? "").Trim();
                LinkPage = (LinkPage ?? "").Trim();
                LinkedGroup = (LinkedGroup ?? "").Trim();
                BoosterGroup = (BoosterGroup ?? "").Trim();
                SteamGroup = (SteamGroup ?? "").Trim();
                Stamp = (Stamp ?? "").Trim();
                PollSeconds = Math.Max(10, Math.Min(PollSeconds, 3600));
                PlayersPerRequest = Math.Max(1, Math.Min(PlayersPerRequest, 2000));
            }
        }

        protected override void LoadDefaultConfig()
        {
            settings = new Settings();
        }

        protected override void LoadConfig()
        {
            base.LoadConfig();
            try
            {
                settings = Config.ReadObject<Settings>();
                if (settings == null)
                {
                    throw new JsonException("the file is empty");
                }
                settings.Complete();
                SaveConfig();
                LeaveOutUnfit();
            }
            catch (Exception error)
            {
                // The file stays as it is: there is a key in it, and most likely only a comma is missing.
                settings = new Settings();
                LogError("The configuration cannot be read: " + error.Message);
            }
        }

        /// <summary>
        /// Two of them by one name would give and take each other's players, and everybody is to be in the group of all.
        /// </summary>
        private void LeaveOutUnfit()
        {
            var taken = new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "default", "*" };
            settings.LinkedGroup = FitGroup(taken, settings.LinkedGroup);
            settings.BoosterGroup = FitGroup(taken, settings.BoosterGroup);
            settings.SteamGroup = FitGroup(taken, settings.SteamGroup);
        }

        private string FitGroup(HashSet<string> taken, string group)
        {
            if (group.Length == 0 || taken.Add(group))
            {
                return group;
            }
            LogError("The group \"" + group + "\" cannot be used for this, or is used twice. It is left alone.");
            return "";
        }

        protected override void SaveConfig()
        {
            Config.WriteObject(settings);
        }

        /// <summary>What is missing in the settings; null when they are complete.</summary>
        private string Missing()
        {
            Uri address;
            if (!Uri.TryCreate(settings.Address, UriKind.Absolute, out address)
                || (address.Scheme != Uri.UriSchemeHttps && address.Scheme != Uri.UriSchemeHttp))
            {
                return "\"Service address\" must be an address such as https://symbolon.example";
            }
            return string.IsNullOrEmpty(settings.Key) ? "\"Server key\" is empty" : null;
        }

        #endregion

        #region Texts

        protected override void LoadDefaultMessages()
        {
            lang.RegisterMessages(new Dictionary<string, string>
            {
                ["LinkHere"] = "Link your Discord account at {0}",
                ["AlreadyLinked"] = "Your Discord account is linked. You can manage it at {0}",
                ["NotSetUp"] = "Linking isn't set up on this server yet.",
                ["NowLinked"] = "Your Discord account is now linked.",
            }, this);
        }

        private string Text(string key, IPlayer player, params object[] values)
        {
            string text = lang.GetMessage(key, this, player.Id);
            try
            {
                return string.Format(text, values);
            }
            catch (FormatException)
            {
                // A translation with an odd brace must not cost anybody the address.
                return text + " " + string.Join(" ", values);
            }
        }

        #endregion

        #region Hooks and commands

        private void Init()
        {
            permission.RegisterPermission(AdminPermission, this);
            AddCovalenceCommand("link", nameof(LinkCommand));
            AddCovalenceCommand("symbolon", nameof(StatusCommand), AdminPermission);
        }

        private void OnServerInitialized()
        {
            string missing = Missing();
            if (missing != null)
            {
                LogError("Not set up: " + missing + ". Edit the plugin's configuration file; the key is on the Server's page of your dashboard.");
                return;
            }
            isReady = true;
            foreach (IPlayer player in players.Connected)
            {
                Welcome(player);
            }
            timer.Every(TickSeconds, Tick);
        }

        private void Unload()
        {
            isReady = false;
            round = null;
        }

        private void OnUserConnected(IPlayer player)
        {
            Welcome(player);
        }

        private void OnUserDisconnected(IPlayer player)
        {
            newcomers.Remove(player.Id);
        }

        private void OnUserGroupAdded(string id, string group)
        {
            NoteChange(id);
        }

        private void OnUserGroupRemoved(string id, string group)
        {
            NoteChange(id);
        }

        private void Welcome(IPlayer player)
        {
            if (isReady && IsSteamId(player.Id))
            {
                newcomers.Add(player.Id);
            }
        }

        private void NoteChange(string id)
        {
            if (isReady && IsSteamId(id) && changed.Count < MostWaiting)
            {
                changed.Add(id);
            }
        }

        private void LinkCommand(IPlayer player, string command, string[] args)
        {
            if (string.IsNullOrEmpty(settings.LinkPage))
            {
                player.Reply(Text("NotSetUp", player));
                return;
            }
            bool isLinked;
            linked.TryGetValue(player.Id, out isLinked);
            player.Reply(Text(isLinked ? "AlreadyLinked" : "LinkHere", player, settings.LinkPage));
            // Whoever comes back from the page and types it again is asked about at once.
            Welcome(player);
        }

        private void StatusCommand(IPlayer player, string command, string[] args)
        {
            if (!isReady)
            {
                player.Reply("Symbolon " + Version + ": not set up. " + Missing());
                return;
            }
            string last = lastSuccess < 0 ? "never" : Math.Round(now - lastSuccess) + " s ago";
            string state = trouble ?? "working";
            player.Reply("Symbolon " + Version + ": " + state + ". Last successful check: " + last + ". Linked players here: "
                + linked.Values.Count(isLinked => isLinked) + " of " + players.Connected.Count() + ".");
        }

        /// <summary>Accounts of people on Steam begin like this; what begins otherwise is a bot or another platform.</summary>
        private static bool IsSteamId(string id)
        {
            return id != null && id.Length == 17 && id.StartsWith("7656119") && id.All(char.IsDigit);
        }

        #endregion

        #region Rounds

        /// <summary>One visit to the service: requests that follow each other, about some of the players.</summary>
        private class Round
        {
            public List<string> Players;
            public double BegunAt;
            public readonly Queue<Step> Steps = new Queue<Step>();
            /// <summary>What has to follow at once: whatever is new meanwhile must not be cleared unseen.</summary>
            public readonly Queue<Step> Urgent = new Queue<Step>();
            public bool IsClosing;
        }

        private class Step
        {
            public string Action;
            public object Body;
            public Action<JToken> Done;
            /// <summary>The round goes on without it.</summary>
            public bool IsOptional;
        }

        private void Tick()
        {
            now += TickSeconds;
            try
            {
                Work();
            }
            catch (Exception error)
            {
                // A timer that throws never fires again.
                Rest("the plugin failed (" + error.Message + ")");
            }
        }

        private void Work()
        {
            if (!isReady)
            {
                return;
            }
            if (round != null)
            {
                if (now - round.BegunAt > RoundSeconds)
                {
                    Rest("the service takes too long to answer");
                }
                return;
            }
            if (now < restUntil)
            {
                return;
            }
            List<string> here = players.Connected.Select(player => player.Id).Where(IsSteamId).Distinct().ToList();
            if (now >= nextPoll)
            {
                nextPoll = now + settings.PollSeconds * (0.95 + 0.1 * random.NextDouble());
                Forget(here);
                Begin(here);
            }
            else if (newcomers.Count > 0)
            {
                Begin(here.Where(newcomers.Contains).ToList());
            }
        }

        /// <summary>Drops what is known about those who left.</summary>
        private void Forget(List<string> here)
        {
            foreach (string id in linked.Keys.Union(reportedGroups.Keys).Union(reportedNames.Keys).Except(here).ToList())
            {
                linked.Remove(id);
                reportedGroups.Remove(id);
                reportedNames.Remove(id);
            }
        }

        private void Begin(List<string> about)
        {
            newcomers.ExceptWith(about);
            if (about.Count == 0 && changed.Count == 0)
            {
                return;
            }
            round = new Round { Players = about, BegunAt = now };
            foreach (List<string> some in Parts(about, settings.PlayersPerRequest))
            {
                Ask("steamChecks", some, false, answer => NoteLinked(some, answer));
                if (settings.BoosterGroup.Length > 0)
                {
                    Ask("nitroChecks", some, true, answer => SetGroups(some, answer, settings.BoosterGroup));
                }
                if (settings.SteamGroup.Length > 0)
                {
                    Ask("groupChecks", some, true, answer => SetGroups(some, answer, settings.SteamGroup));
                }
                Ask("getPendingOxideChangesBulk", some, false, answer => ApplyChanges(some, answer));
            }
            Next();
        }

        private void Ask(string action, List<string> about, bool isOptional, Action<JToken> done, bool isUrgent = false)
        {
            double until;
            if (isOptional && refusedUntil.TryGetValue(action, out until) && now < until)
            {
                return;
            }
            (isUrgent ? round.Urgent : round.Steps).Enqueue(new Step
            {
                Action = action,
                Body = new Dictionary<string, object> { ["ids"] = about },
                Done = done,
                IsOptional = isOptional,
            });
        }

        /// <summary>What follows from the answers: what is new here is told.</summary>
        private void Close()
        {
            round.IsClosing = true;
            Dictionary<string, string[]> groups = GroupsToTell();
            foreach (List<string> some in Parts(groups.Keys, ReportedAtOnce))
            {
                Tell("updateOxideGroupsBulk", some.ToDictionary(id => id, id => groups[id]), () =>
                {
                    foreach (string id in some)
                    {
                        reportedGroups[id] = Joined(groups[id]);
                        // Somebody may have changed them again while the report was on its way.
                        if (Joined(GroupsOf(id)) == reportedGroups[id])
                        {
                            changed.Remove(id);
                        }
                    }
                });
            }
            Dictionary<string, string> names = NamesToTell();
            foreach (List<string> some in Parts(names.Keys, ReportedAtOnce))
            {
                Tell("updateSteam", some.ToDictionary(id => id, id => names[id]), () =>
                {
                    foreach (string id in some)
                    {
                        reportedNames[id] = names[id];
                    }
                });
            }
        }

        private void Tell(string action, object about, Action done)
        {
            double until;
            if (refusedUntil.TryGetValue(action, out until) && now < until)
            {
                return;
            }
            round.Steps.Enqueue(new Step
            {
                Action = action,
                Body = new Dictionary<string, object> { ["players"] = about },
                Done = answer => done(),
                IsOptional = true,
            });
        }

        private void Next()
        {
            Queue<Step> steps = round.Urgent.Count > 0 ? round.Urgent : round.Steps;
            if (steps.Count == 0 && !round.IsClosing)
            {
                Close();
            }
            if (steps.Count == 0)
            {
                Finish();
                return;
            }
            Round asking = round;
            Step step = steps.Dequeue();
            var headers = new Dictionary<string, string>
            {
                ["Content-Type"] = "application/json",
                ["X-API-Key"] = settings.Key,
                ["X-Plugin-Version"] = Version.ToString(),
                ["X-Config-Stamp"] = settings.Stamp.Length > 0 ? settings.Stamp : "none",
            };
            string address = settings.Address + "/api?action=" + step.Action;
            webrequest.Enqueue(address, JsonConvert.SerializeObject(step.Body), (code, text) =>
            {
                // An answer to a round that was given up says nothing any more.
                if (isReady && round == asking)
                {
                    Hear(step, code, text);
                }
            }, this, RequestMethod.POST, headers, RequestTimeoutSeconds);
        }

        private void Hear(Step step, int code, string text)
        {
            JToken answer = Read(text);
            if (code == 200 && answer != null)
            {
                step.Done(answer);
                Next();
                return;
            }
            var failure = answer as JObject;
            string word = failure == null ? null : (string)failure["code"];
            if (code == 200 || word == null)
            {
                Rest("the service gave no answer (" + code + ")");
            }
            else if (code == 401 || code == 403)
            {
                Rest("the service refuses this server's key (" + word + ")", LongestRestSeconds);
            }
            else if (code == 429)
            {
                Rest("the service asks for a pause", Math.Max(1, Math.Min(Number(failure["retry_after"], 60), 3600)));
            }
            else if (word == "TOO_MANY_IDS" && Number(failure["limit"], 0) >= 1
                && Number(failure["limit"], 0) < settings.PlayersPerRequest)
            {
                settings.PlayersPerRequest = (int)Number(failure["limit"], 1);
                Rest("fewer players have to be asked about at once", TickSeconds);
            }
            else if (step.IsOptional)
            {
                // Such as a Steam group that Steam does not tell about right now: nothing is known, so nothing changes.
                if (code >= 400 && code < 500)
                {
                    Leave(step.Action, word);
                }
                Next();
            }
            else
            {
                Rest("the service failed (" + word + ")");
            }
        }

        /// <summary>Does without an action for a while, because asking again would change nothing.</summary>
        private void Leave(string action, string word)
        {
            // A Guild without a Steam group is nothing to write about.
            if (action != "groupChecks" && !refusedUntil.ContainsKey(action))
            {
                LogWarning("The service refuses " + action + " (" + word + "). It is tried again every 15 minutes.");
            }
            refusedUntil[action] = now + RefusedSeconds;
        }

        private void Finish()
        {
            round = null;
            lastSuccess = now;
            if (failures > 0)
            {
                Log("The service answers again.");
            }
            failures = 0;
            trouble = null;
        }

        /// <summary>Ends the round. Whatever it left undone is done by the next one, which asks about everybody.</summary>
        private void Rest(string why, double seconds = 0)
        {
            round = null;
            failures++;
            if (seconds <= 0)
            {
                seconds = Math.Min(LongestRestSeconds, 5 * Math.Pow(2, Math.Min(failures, 10)));
            }
            restUntil = now + seconds * (1 + 0.25 * random.NextDouble());
            nextPoll = restUntil;
            if (trouble != why)
            {
                LogWarning("Groups stay as they are for now: " + why + ".");
            }
            trouble = why;
        }

        #endregion

        #region Answers

        /// <summary>Null when it is no JSON.</summary>
        private static JToken Read(string text)
        {
            try
            {
                return string.IsNullOrEmpty(text) ? null : JToken.Parse(text);
            }
            catch (JsonException)
            {
                return null;
            }
        }

        private static double Number(JToken value, double otherwise)
        {
            bool isNumber = value != null && (value.Type == JTokenType.Integer || value.Type == JTokenType.Float);
            return isNumber ? (double)value : otherwise;
        }

        /// <summary>True or false where the answer says so. Whoever it does not name is unknown, and unknown changes nothing.</summary>
        private static bool? Told(JToken answer, string id)
        {
            var all = answer as JObject;
            JToken told = all == null ? null : all[id];
            return told != null && told.Type == JTokenType.Boolean ? (bool)told : (bool?)null;
        }

        private void NoteLinked(List<string> about, JToken answer)
        {
            foreach (string id in about)
            {
                bool? told = Told(answer, id);
                if (told == null)
                {
                    continue;
                }
                bool before;
                bool wasKnown = linked.TryGetValue(id, out before);
                linked[id] = told.Value;
                SetGroup(id, settings.LinkedGroup, told.Value);
                IPlayer player = wasKnown && !before && told.Value ? players.FindPlayerById(id) : null;
                if (player != null && player.IsConnected)
                {
                    player.Message(Text("NowLinked", player));
                }
            }
        }

        private void SetGroups(List<string> about, JToken answer, string group)
        {
            foreach (string id in about)
            {
                bool? told = Told(answer, id);
                if (told != null)
                {
                    SetGroup(id, group, told.Value);
                }
            }
        }

        private void ApplyChanges(List<string> about, JToken answer)
        {
            var all = answer as JObject;
            var applied = new List<string>();
            foreach (string id in about)
            {
                var changes = all == null ? null : all[id] as JArray;
                if (changes == null)
                {
                    continue;
                }
                foreach (JToken change in changes)
                {
                    var group = (change as JObject)?["group"] as JValue;
                    var action = (change as JObject)?["action"] as JValue;
                    if (group?.Value is string && (action?.Value as string == "add" || action?.Value as string == "remove"))
                    {
                        SetGroup(id, (string)group.Value, (string)action.Value == "add");
                    }
                }
                applied.Add(id);
            }
            if (applied.Count > 0)
            {
                Ask("clearPendingOxideChangesBulk", applied, false, done => { }, true);
            }
        }

        private void SetGroup(string id, string group, bool isWanted)
        {
            // Oxide takes "*" for all groups of a player at once.
            if (string.IsNullOrEmpty(group) || group == "*" || permission.UserHasGroup(id, group) == isWanted)
            {
                return;
            }
            if (!isWanted)
            {
                permission.RemoveUserGroup(id, group);
                return;
            }
            if (!permission.GroupExists(group))
            {
                permission.CreateGroup(group, group, 0);
            }
            permission.AddUserGroup(id, group);
        }

        #endregion

        #region Reports

        private Dictionary<string, string[]> GroupsToTell()
        {
            var groups = new Dictionary<string, string[]>();
            foreach (string id in round.Players.Union(changed.ToList()))
            {
                string[] own = GroupsOf(id);
                string before;
                if (changed.Contains(id) || !reportedGroups.TryGetValue(id, out before) || before != Joined(own))
                {
                    groups[id] = own;
                }
            }
            return groups;
        }

        private string[] GroupsOf(string id)
        {
            string[] groups = permission.GetUserGroups(id) ?? new string[0];
            return groups.OrderBy(group => group, StringComparer.Ordinal).ToArray();
        }

        private Dictionary<string, string> NamesToTell()
        {
            var names = new Dictionary<string, string>();
            foreach (IPlayer player in players.Connected)
            {
                bool isLinked;
                string before;
                if (linked.TryGetValue(player.Id, out isLinked) && isLinked && !string.IsNullOrEmpty(player.Name)
                    && (!reportedNames.TryGetValue(player.Id, out before) || before != player.Name))
                {
                    names[player.Id] = player.Name;
                }
            }
            return names;
        }

        private static string Joined(string[] groups)
        {
            return string.Join("\n", groups);
        }

        /// <summary>As many at a time as the service takes.</summary>
        private static IEnumerable<List<string>> Parts(ICollection<string> all, int most)
        {
            List<string> rest = all.ToList();
            for (int start = 0; start < rest.Count; start += most)
            {
                yield return rest.GetRange(start, Math.Min(most, rest.Count - start));
            }
        }

        #endregion
    }
}
