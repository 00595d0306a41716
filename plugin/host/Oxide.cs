// What the plugin needs of Oxide and Carbon, written from their public signatures: enough to compile it, and to run it
// in a process of its own. Everything happens on one thread, as on a game server; only requests are made on others.

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using System.Text;
using System.Threading;
using Newtonsoft.Json;
using Oxide.Core.Libraries;
using Oxide.Core.Libraries.Covalence;
using Oxide.Core.Plugins;

namespace Oxide.Core
{
    /// <summary>Here because plugins that use both namespaces meet it.</summary>
    public static class Random
    {
    }

    public struct VersionNumber
    {
        public int Major, Minor, Patch;

        public VersionNumber(int major, int minor, int patch)
        {
            Major = major;
            Minor = minor;
            Patch = patch;
        }

        public override string ToString()
        {
            return Major + "." + Minor + "." + Patch;
        }
    }
}

namespace Oxide.Core.Configuration
{
    public class DynamicConfigFile
    {
        public readonly string Filename;

        public DynamicConfigFile(string filename)
        {
            Filename = filename;
        }

        public bool Exists()
        {
            return File.Exists(Filename);
        }

        public T ReadObject<T>(string filename = null)
        {
            return JsonConvert.DeserializeObject<T>(File.ReadAllText(filename ?? Filename));
        }

        public void WriteObject<T>(T config, bool sync = false, string filename = null)
        {
            File.WriteAllText(filename ?? Filename, JsonConvert.SerializeObject(config, Formatting.Indented));
        }
    }
}

namespace Oxide.Core.Plugins
{
    public abstract class Plugin
    {
        public string Name { get; protected set; }
        public string Title { get; protected set; }
        public VersionNumber Version { get; protected set; }
    }
}

namespace Oxide.Core.Libraries
{
    public enum RequestMethod
    {
        DELETE,
        GET,
        PATCH,
        POST,
        PUT
    }

    public class WebRequests
    {
#if CARBON
        public object Enqueue(string url, string body, Action<int, string> callback, Plugin owner,
            RequestMethod method = RequestMethod.GET, Dictionary<string, string> headers = null, float timeout = 0f)
        {
            Begin(url, body, callback, method, headers, timeout);
            return this;
        }
#else
        public void Enqueue(string url, string body, Action<int, string> callback, Plugin owner,
            RequestMethod method = RequestMethod.GET, Dictionary<string, string> headers = null, float timeout = 0f)
        {
            Begin(url, body, callback, method, headers, timeout);
        }
#endif

        private static void Begin(string url, string body, Action<int, string> callback, RequestMethod method,
            Dictionary<string, string> headers, float timeout)
        {
            Host.Count(url);
            ThreadPool.QueueUserWorkItem(unused =>
            {
                int code = 0;
                string text;
                try
                {
                    text = Send(url, body, method, headers, timeout, out code);
                }
                catch (Exception error)
                {
                    text = error.Message;
                }
                Host.Later(() => callback(code, text));
            });
        }

        private static string Send(string url, string body, RequestMethod method, Dictionary<string, string> headers,
            float timeout, out int code)
        {
            var request = (HttpWebRequest)WebRequest.Create(url);
            request.Method = method.ToString();
            request.KeepAlive = false;
            int limit = (int)(timeout * 1000 / Math.Min(Host.Speed, 5));
            request.Timeout = limit;
            request.ReadWriteTimeout = limit;
            foreach (KeyValuePair<string, string> header in headers ?? new Dictionary<string, string>())
            {
                if (header.Key == "Content-Type")
                {
                    request.ContentType = header.Value;
                }
                else
                {
                    request.Headers[header.Key] = header.Value;
                }
            }
            byte[] bytes = Encoding.UTF8.GetBytes(body ?? "");
            using (Stream stream = request.GetRequestStream())
            {
                stream.Write(bytes, 0, bytes.Length);
            }
            HttpWebResponse response;
            try
            {
                response = (HttpWebResponse)request.GetResponse();
            }
            catch (WebException error)
            {
                response = error.Response as HttpWebResponse;
                if (response == null)
                {
                    throw;
                }
            }
            using (response)
            using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8))
            {
                string text = reader.ReadToEnd();
                code = (int)response.StatusCode;
                return text;
            }
        }
    }

    public class Permission
    {
        private readonly Dictionary<string, HashSet<string>> users = new Dictionary<string, HashSet<string>>();
        private readonly HashSet<string> groups = new HashSet<string>();

        public void RegisterPermission(string name, Plugin owner)
        {
        }

        public bool GroupExists(string group)
        {
            return groups.Contains(group.ToLower());
        }

        public bool CreateGroup(string group, string title, int rank)
        {
            return groups.Add(group.ToLower());
        }

        public bool UserHasGroup(string id, string name)
        {
            HashSet<string> own;
            return users.TryGetValue(id, out own) && own.Contains(name.ToLower());
        }

        public string[] GetUserGroups(string id)
        {
            HashSet<string> own;
            return users.TryGetValue(id, out own) ? own.ToArray() : new string[0];
        }

        public void AddUserGroup(string id, string name)
        {
            if (!GroupExists(name))
            {
                return;
            }
            HashSet<string> own;
            if (!users.TryGetValue(id, out own))
            {
                users[id] = own = new HashSet<string>();
            }
            if (own.Add(name.ToLower()))
            {
                Host.Call("OnUserGroupAdded", id, name);
            }
        }

        public void RemoveUserGroup(string id, string name)
        {
            HashSet<string> own;
            if (users.TryGetValue(id, out own) && own.Remove(name.ToLower()))
            {
                Host.Call("OnUserGroupRemoved", id, name);
            }
        }
    }

    public class Lang
    {
        private readonly Dictionary<string, string> texts = new Dictionary<string, string>();

        public void RegisterMessages(Dictionary<string, string> messages, Plugin plugin, string lang = "en")
        {
            foreach (KeyValuePair<string, string> message in messages)
            {
                texts[message.Key] = message.Value;
            }
        }

        public string GetMessage(string key, Plugin plugin, string userId = null)
        {
            return texts[key];
        }
    }
}

namespace Oxide.Core.Libraries.Covalence
{
    public interface IPlayer
    {
        string Id { get; }
        string Name { get; set; }
        bool IsConnected { get; }
        void Reply(string message);
        void Message(string message);
    }

    public interface IPlayerManager
    {
        IEnumerable<IPlayer> Connected { get; }
        IPlayer FindPlayerById(string id);
    }

    public interface IServer
    {
        string Name { get; set; }
    }
}

namespace Oxide.Plugins
{
    [AttributeUsage(AttributeTargets.Class)]
    public class InfoAttribute : Attribute
    {
        public readonly string Title, Author, Version;

        public InfoAttribute(string title, string author, string version)
        {
            Title = title;
            Author = author;
            Version = version;
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public class DescriptionAttribute : Attribute
    {
        public readonly string Description;

        public DescriptionAttribute(string description)
        {
            Description = description;
        }
    }

    public class Timer
    {
        public void Destroy()
        {
        }
    }

    public class PluginTimers
    {
        public Timer Every(float interval, Action callback)
        {
            Host.Every(interval, callback);
            return new Timer();
        }
    }

    public abstract class CSharpPlugin : Plugin
    {
        protected Lang lang = new Lang();
        protected Permission permission = Host.Permission;
        protected WebRequests webrequest = new WebRequests();
        protected PluginTimers timer = new PluginTimers();
        public Core.Configuration.DynamicConfigFile Config;

        protected virtual void LoadConfig()
        {
            if (!Config.Exists())
            {
                LoadDefaultConfig();
                SaveConfig();
            }
        }

        protected virtual void LoadDefaultConfig()
        {
        }

        protected virtual void SaveConfig()
        {
        }

        protected virtual void LoadDefaultMessages()
        {
        }

        public void Load(string config)
        {
            var info = (InfoAttribute)GetType().GetCustomAttributes(typeof(InfoAttribute), false).Single();
            int[] version = info.Version.Split('.').Select(int.Parse).ToArray();
            Name = GetType().Name;
            Title = info.Title;
            Version = new Core.VersionNumber(version[0], version[1], version[2]);
            Config = new Core.Configuration.DynamicConfigFile(config);
            LoadConfig();
            LoadDefaultMessages();
        }
    }

    public abstract class CovalencePlugin : CSharpPlugin
    {
        protected IPlayerManager players = Host.Players;
        protected IServer server = null;

        protected void Log(string format, params object[] args)
        {
            Host.Tell("log", format);
        }

        protected void LogWarning(string format, params object[] args)
        {
            Host.Tell("warning", format);
        }

        protected void LogError(string format, params object[] args)
        {
            Host.Tell("error", format);
        }

        protected void AddCovalenceCommand(string command, string callback, string perm = null)
        {
            Host.Commands[command] = callback;
        }
    }
}
