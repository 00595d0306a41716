// A game server that has nothing but players, groups and one plugin. It is told what happens on its standard input, a
// line of words for each thing, and tells what came of it on its standard output, a line of JSON for each.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Threading;
using Newtonsoft.Json;
using Oxide.Core.Libraries;
using Oxide.Core.Libraries.Covalence;
using Oxide.Plugins;

public class Person : IPlayer
{
    public string Id { get; set; }
    public string Name { get; set; }
    public bool IsConnected { get; set; }

    public void Reply(string message)
    {
        Host.Tell("reply", Id + " " + message);
    }

    public void Message(string message)
    {
        Host.Tell("message", Id + " " + message);
    }
}

public class People : IPlayerManager
{
    public readonly Dictionary<string, Person> All = new Dictionary<string, Person>();

    public IEnumerable<IPlayer> Connected
    {
        get { return All.Values.Where(person => person.IsConnected); }
    }

    public IPlayer FindPlayerById(string id)
    {
        Person person;
        return All.TryGetValue(id, out person) ? person : null;
    }
}

public static class Host
{
    public static readonly Permission Permission = new Permission();
    public static readonly People Players = new People();
    public static readonly Dictionary<string, string> Commands = new Dictionary<string, string>();
    /// <summary>How much faster than a clock time passes.</summary>
    public static double Speed = 1;

    private static readonly BlockingCollection<Action> work = new BlockingCollection<Action>();
    private static readonly Dictionary<string, int> requests = new Dictionary<string, int>();
    private static readonly List<Alarm> alarms = new List<Alarm>();
    private static Symbolon plugin;

    private class Alarm
    {
        public TimeSpan Every, Next;
        public Action Ring;
    }

    /// <summary>Has something done on the one thread.</summary>
    public static void Later(Action action)
    {
        work.Add(action);
    }

    public static void Every(float seconds, Action ring)
    {
        TimeSpan every = TimeSpan.FromSeconds(seconds / Speed);
        alarms.Add(new Alarm { Every = every, Next = clock.Elapsed + every, Ring = ring });
    }

    public static void Count(string url)
    {
        string action = url.Substring(url.IndexOf("action=", StringComparison.Ordinal) + 7);
        int before;
        requests.TryGetValue(action, out before);
        requests[action] = before + 1;
    }

    public static void Tell(string kind, object about)
    {
        Console.Out.WriteLine(JsonConvert.SerializeObject(new Dictionary<string, object> { [kind] = about }));
        Console.Out.Flush();
    }

    /// <summary>Calls a hook or a command, as the game server does: by its name, if there is one.</summary>
    public static void Call(string name, params object[] values)
    {
        MethodInfo method = typeof(Symbolon).GetMethod(name, BindingFlags.Instance | BindingFlags.NonPublic);
        if (plugin != null && method != null)
        {
            method.Invoke(plugin, values);
        }
    }

    private static readonly Stopwatch clock = Stopwatch.StartNew();

    public static void Main(string[] arguments)
    {
        Speed = double.Parse(arguments[1], CultureInfo.InvariantCulture);
        new Thread(Read) { IsBackground = true }.Start();
        Permission.CreateGroup("default", "default", 0);
        var made = new Symbolon();
        made.Load(arguments[0]);
        plugin = made;
        Call("Init");
        Tell("loaded", made.Version.ToString());
        while (true)
        {
            Alarm first = alarms.OrderBy(alarm => alarm.Next).FirstOrDefault();
            int wait = first == null ? 1000 : Math.Max(0, (int)(first.Next - clock.Elapsed).TotalMilliseconds);
            Action action;
            if (work.TryTake(out action, wait))
            {
                action();
            }
            else if (first != null && clock.Elapsed >= first.Next)
            {
                first.Next += first.Every;
                first.Ring();
            }
        }
    }

    private static void Read()
    {
        string line;
        while ((line = Console.In.ReadLine()) != null)
        {
            string[] words = line.Split(new[] { ' ' }, 4);
            Later(() => Obey(words));
        }
        Environment.Exit(0);
    }

    private static void Obey(string[] words)
    {
        string id = words.Length > 1 ? words[1] : null;
        switch (words[0])
        {
            case "start":
                Call("OnServerInitialized");
                break;
            case "unload":
                Call("Unload");
                plugin = null;
                break;
            case "join":
                Players.All[id] = new Person { Id = id, Name = words[2], IsConnected = true };
                Permission.AddUserGroup(id, "default");
                Call("OnUserConnected", Players.All[id]);
                break;
            case "leave":
                Players.All[id].IsConnected = false;
                Call("OnUserDisconnected", Players.All[id]);
                break;
            case "name":
                Players.All[id].Name = words[2];
                break;
            case "add":
                Permission.CreateGroup(words[2], words[2], 0);
                Permission.AddUserGroup(id, words[2]);
                break;
            case "remove":
                Permission.RemoveUserGroup(id, words[2]);
                break;
            case "command":
                Call(Commands[words[2]], Players.All[id], words[2], new string[0]);
                break;
            case "groups":
                Tell("groups", Players.All.Keys.ToDictionary(key => key, key => Permission.GetUserGroups(key).OrderBy(group => group).ToArray()));
                break;
            case "requests":
                Tell("requests", requests);
                break;
            default:
                Tell("error", "unknown: " + words[0]);
                break;
        }
    }
}
