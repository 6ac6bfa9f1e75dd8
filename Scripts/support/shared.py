"""Runs many processes of Lull under one rate limit, against an nginx whose log is counted.

    shared.py LULL [--processes N] [--seconds S]         on one machine, sharing a limits file
    shared.py LULL --hosts H [--processes N] [--delay MS] [--cuts] [--faults]
                                                         on H hosts, sharing a redis-server
    shared.py LULL --news COUNT                          delay of notifications between processes

The processes share a limit of 100 requests per second. One after the other is killed with kill -9
and replaced. Afterwards, no second in the log of admissions may have more than 100 requests. In
nginx's log the same applies to a second, shortened by the variation of the delay from admission to
nginx. At least 97 % of the limit must have been used. Each request in nginx's log is matched with a
separate admission, either by the server or, according to the hosts' files, by a machine alone. Up
to 2 % may be by a machine alone. Killed processes leave unused admissions. Prints the results, and
exits with 0 only if all this is true and no request has failed.

A host is a network namespace with its own state folder, which needs root. A relay connects the
hosts with the server. --delay delays each packet by up to MS milliseconds in each direction, and
--cuts closes all connections now and then. With these, the used share of the limit is not judged.
With --cuts, only failed requests count.

With --faults, the processes also need tokens of client credentials and share a cache, and a series
of faults is injected. The server is paused, or killed with kill -9 and restarted without its
memory, or killed and replaced by a replica. The relay resets all connections, swallows their data,
or leaves them half open. No request may fail, each process may warn once, and no more than twice
the limit may arrive at any time.

With --news, two processes share a cache through a redis-server on the loopback interface. One loads
resources, the other observes them. The time from a response to the notification of the observer is
measured. All notifications must arrive, and 99 % of them within 20 ms, in the best of five runs,
because the machine may be busy.
"""

import asyncio
import argparse
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

LIMIT, PER = 100, 1.0

WORKERS = """
for worker = 1, %d do
  lull.spawn(function()
    local count = 0
    while true do
      count = count + 1
      local answer, err = api(("/item/%%s-%%d-%%d"):format(name, worker, count)):get():await()
      if not answer then error(tostring(err)) end
    end
  end)
end
"""

SCRIPT = """
local lull = require "lull"
local url, name = ...
local api = lull.service { base_url = url }
api:configure { rate_limit = { requests = %d, per = %g, shared = "all" }, retry = false, concurrency = 8 }
%s
lull.run()
""" % (LIMIT, PER, WORKERS % 4)

# The same with shared tokens and a shared cache.
FAULTS_SCRIPT = """
local lull = require "lull"
local url, name = ...
local api = lull.service { base_url = url }
api:configure {
  rate_limit = { requests = %d, per = %g, shared = "all" }, retry = false, concurrency = 8,
  auth = lull.auth.oauth2_client_credentials {
    token_url = url .. "/token", client_id = "me", client_secret = "geheim",
  },
}
local cached = lull.service { base_url = url .. "/cached" }
cached:configure {
  expiration_time = 0.5, retry = false, pipeline = { parsing = { cache = lull.cache.shared() } },
}
%s
lull.spawn(function()
  while true do
    for number = 1, 5 do
      local place = cached("/" .. number)
      local load = place:load_if_needed()
      if load then
        local answer, err = load:await()
        if not answer then error("from the cache: " .. tostring(err)) end
      end
      lull.sleep(0.05)
    end
  end
end)
lull.run()
""" % (LIMIT, PER, WORKERS % 3)

NEWS_PLACES, NEWS_GOAL, NEWS_RUNS = 100, 0.020, 5

# The content of a response is its time.
WRITER = """
local lull = require "lull"
local count = tonumber((...))
local api = lull.service { base_url = "http://api.test", networking = function()
  return { headers = { ["Content-Type"] = "application/json" }, body = ('{"at":%%.6f}'):format(lull.now()) }
end }
api:configure { pipeline = { parsing = { cache = lull.cache.shared() } } }
for number = 1, count do
  assert(api("/" .. number %% %d):load():await())
  lull.sleep(0.001)
end
""" % NEWS_PLACES

LISTENER = """
local lull = require "lull"
local count = tonumber((...))
local api = lull.service { base_url = "http://api.test" }
api:configure { pipeline = { parsing = { cache = lull.cache.shared() } } }
local delays = {}
for number = 0, %d do
  api("/" .. number):observe(function(resource, event, source)
    if source == "shared" then delays[#delays + 1] = lull.now() - resource.content.at end
  end)
end
lull.wait_until(function() return #delays >= count end, { every = 0.1, timeout = 60 })
for _, delay in ipairs(delays) do print(("%%.6f"):format(delay)) end
""" % (NEWS_PLACES - 1)

NGINX = """
daemon off; worker_processes 1; pid @FOLDER@/nginx.pid; error_log @FOLDER@/nginx-error.log warn; @USER@
events { worker_connections 1024; }
http {
  log_format times '$msec $uri';
  access_log @FOLDER@/access.log times;
  keepalive_requests 1000000000;
  client_body_temp_path @FOLDER@/body; proxy_temp_path @FOLDER@/proxy; fastcgi_temp_path @FOLDER@/fastcgi;
  uwsgi_temp_path @FOLDER@/uwsgi; scgi_temp_path @FOLDER@/scgi;
  server {
    listen @PORT@; default_type application/json;
    location /item/ { return 200 '{}'; }
    location /cached/ { access_log off; return 200 '{}'; }
    location /token {
      access_log off; return 200 '{"access_token":"token","token_type":"Bearer","expires_in":2}';
    }
  }
}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    def __init__(self, folder):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = os.path.join(folder, "access.log")
        config = os.path.join(folder, "nginx.conf")
        with open(config, "w") as file:
            file.write(NGINX.replace("@FOLDER@", folder).replace("@PORT@", str(port))
                       .replace("@USER@", "user root;" if os.geteuid() == 0 else ""))
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if program is None:
            sys.exit("shared: nginx was not found")
        self.process = subprocess.Popen(
            [program, "-e", os.path.join(folder, "nginx-error.log"), "-p", folder, "-c", config],
            stdin=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("shared: nginx did not start")

    def times(self):
        """Returns the time of each response in Unix seconds."""
        with open(self.log) as file:
            return sorted(float(line.split(" ", 1)[0]) for line in file)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class FileAdmissions:
    """The admissions in a limits file, read before they expire."""

    def __init__(self, state):
        self.path = os.path.join(state, "lull", "limits.db")
        self.sent = {}
        # The difference between the clock of the file, which starts at boot, and the time of day.
        self.shift = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)

    def look(self):
        if not os.path.exists(self.path):
            return
        database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=5)
        try:
            # Admissions that have not been sent yet have an infinite time. Those by a server have
            # negative numbers.
            rows = database.execute("SELECT id, time FROM admission WHERE time < 1e300 AND id > 0").fetchall()
        except sqlite3.OperationalError:
            # The table does not exist yet.
            return
        finally:
            database.close()
        self.sent.update(rows)

    def times(self):
        return sorted(moment + self.shift for moment in self.sent.values())

    def most(self):
        return most(sorted(self.sent.values()), PER)


class ServerAdmissions:
    """The admissions on the server."""

    def __init__(self, redis):
        self.redis = redis
        self.key = None
        self.sent = {}

    def look(self):
        try:
            self.look_now()
        except (OSError, Cut):
            # The server has gone or been replaced.
            self.redis.connection = None

    def look_now(self):
        if self.key is None:
            keys = self.redis.ask("KEYS", "*:log")
            if not keys:
                return
            self.key, = keys
        words = self.redis.ask("ZRANGE", self.key, "0", "-1", "WITHSCORES")
        # In microseconds, as integers: in floating point, a second would sometimes be shorter. An
        # entry at minus infinity is a mark of the script.
        self.sent.update(
            (name, int(score)) for name, score in zip(words[::2], words[1::2]) if score != "-inf")

    def times(self):
        return sorted(moment / 1e6 for moment in self.sent.values())

    def most(self):
        return most(sorted(self.sent.values()), int(PER * 1e6))


class Cut(Exception):
    """The server closed the connection in the middle of a reply, or refuses to reply."""


class Redis:
    """A server without persistence, on its own socket."""

    def __init__(self, folder, port=0, name="redis"):
        self.folder, self.port = folder, port
        self.socket = os.path.join(folder, name + ".sock")
        self.connection = None
        self.start()

    def start(self, *options):
        program = shutil.which(os.environ.get("LULL_TEST_REDIS_SERVER", "redis-server"))
        if program is None:
            sys.exit("shared: redis-server was not found")
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        self.process = subprocess.Popen(
            [program, "--bind", "127.0.0.1", "--port", str(self.port), "--unixsocket", self.socket, "--save", "",
             "--appendonly", "no", "--repl-diskless-sync-delay", "0", "--dir", self.folder, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for _ in range(100):
            if os.path.exists(self.socket):
                return
            time.sleep(0.05)
        sys.exit("shared: redis-server did not start")

    def say(self, *words):
        """Returns the reply as text."""
        return subprocess.run(["redis-cli", "-s", self.socket, *words], capture_output=True, text=True).stdout

    def kill(self):
        self.process.kill()
        self.process.wait()

    def ask(self, *words):
        """Returns a reply that is a list, as texts."""
        if self.connection is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self.socket)
            self.connection = connection.makefile("rwb")
        self.connection.write(" ".join(words).encode() + b"\r\n")
        self.connection.flush()
        count = self.length()
        return [self.connection.read(self.length() + 2)[:-2].decode() for _ in range(count)]

    def length(self):
        try:
            return int(self.connection.readline()[1:])
        except ValueError as error:
            raise Cut from error

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Relay:
    """A port that forwards everything to a Unix socket with a delay, on its own thread."""

    def __init__(self, path, delay):
        self.path, self.delay = path, delay
        self.writers = set()
        # The connections that swallow their data, and whether new ones do.
        self.deaf = set()
        self.is_deaf = False
        self.tasks = set()
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(started,), daemon=True)
        self.thread.start()
        started.wait()

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "0.0.0.0", 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()

    async def serve(self, reader, writer):
        if self.is_deaf:
            self.deaf.add(writer)
        try:
            inner_reader, inner_writer = await asyncio.open_unix_connection(self.path)
        except OSError:
            writer.close()
            return
        self.writers |= {writer, inner_writer}
        # Only this set refers to half-open connections.
        self.tasks.add(asyncio.current_task())
        try:
            await asyncio.gather(self.pass_on(reader, inner_writer, writer), self.pass_on(inner_reader, writer, writer))
        except asyncio.CancelledError:
            pass
        self.tasks.discard(asyncio.current_task())
        self.deaf.discard(writer)

    async def pass_on(self, reader, writer, outer):
        try:
            while piece := await reader.read(65536):
                if outer in self.deaf:
                    continue
                if self.delay:
                    # Later data waits behind it.
                    await asyncio.sleep(random.uniform(0, self.delay))
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        finally:
            # A swallowing connection stays half open after the other side has closed.
            if outer not in self.deaf:
                writer.close()
            self.writers.discard(writer)

    def stop(self):
        def end():
            for task in self.tasks:
                task.cancel()
            self.loop.call_later(0.1, self.loop.stop)
        self.loop.call_soon_threadsafe(end)
        self.thread.join(5)

    def cut(self):
        self.loop.call_soon_threadsafe(lambda: [writer.close() for writer in list(self.writers)])

    def reset(self):
        """Resets all connections, like a firewall that has lost its state."""
        def reset():
            for writer in [writer for writer in self.writers if not writer.is_closing()]:
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
        self.loop.call_soon_threadsafe(reset)

    def swallow(self, seconds):
        """Swallows the data of existing connections for good, and of new ones for some seconds,
        without closing any."""
        def begin():
            self.is_deaf = True
            self.deaf |= self.writers
            self.loop.call_later(seconds, end)

        def end():
            self.is_deaf = False
        self.loop.call_soon_threadsafe(begin)


class Host:
    """A network namespace on a bridge with all others, and a state folder."""

    def __init__(self, number, folder):
        self.state = os.path.join(folder, f"state-{number}")
        os.mkdir(self.state, 0o700)
        self.keeper = subprocess.Popen(["unshare", "-n", "sleep", "1000000"])
        pid = str(self.keeper.pid)
        self.enter = ["nsenter", "-t", pid, "-n"]
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{pid}/ns/net") == own:
            time.sleep(0.01)
        for command in [
                f"ip link add host{number} type veth peer name eth0 netns {pid}",
                f"ip link set host{number} master hosts up",
                f"nsenter -t {pid} -n ip addr add 10.77.0.{number + 1}/24 dev eth0",
                f"nsenter -t {pid} -n ip link set eth0 up", f"nsenter -t {pid} -n ip link set lo up"]:
            subprocess.run(command.split(), check=True)

    @staticmethod
    def make_bridge():
        for command in ["ip link set lo up", "ip link add hosts type bridge",
                        "ip addr add 10.77.0.1/24 dev hosts", "ip link set hosts up"]:
            subprocess.run(command.split(), check=True)

    def stop(self):
        self.keeper.kill()
        self.keeper.wait()


def most(times, window):
    """Returns the maximum number of times in any window of that length, excluding its end."""
    best = first = 0
    for index, moment in enumerate(times):
        while times[first] <= moment - window:
            first += 1
        best = max(best, index - first + 1)
    return best


def can_match(admitted, arrived, least, most):
    """Whether each arrival can be matched with a separate admission, `least` to `most` seconds
    before it."""
    index = 0
    for moment in arrived:
        while index < len(admitted) and admitted[index] < moment - most:
            index += 1
        if index == len(admitted) or admitted[index] > moment - least:
            return False
        index += 1
    return True


def delays(admitted, arrived):
    """Returns the smallest range of delays in seconds from admission to arrival. None if some
    requests were not admitted."""
    def smallest(low, high, fits):
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high
    # The server may record a request that had to wait slightly after it was sent.
    early = 0.1
    if not can_match(admitted, arrived, -early, PER):
        return None
    most = smallest(-early, PER, lambda value: can_match(admitted, arrived, -early, value))
    least = -smallest(-most, early, lambda value: can_match(admitted, arrived, -value, most))
    return least, most


class News:
    """Measures how soon one process is notified of another's load."""

    def __init__(self, arguments):
        self.lull = os.path.abspath(arguments.lull)
        self.count = arguments.news
        self.folder = tempfile.mkdtemp(prefix="lull-shared-")
        port = free_port()
        self.redis = Redis(self.folder, port)
        self.url = f"redis://127.0.0.1:{port}"
        self.children = []

    def start(self, name, text):
        script = os.path.join(self.folder, name + ".lua")
        with open(script, "w") as file:
            file.write(text)
        # Each process has its own folders, as if it were on another host.
        state = os.path.join(self.folder, name)
        os.mkdir(state, 0o700)
        child = subprocess.Popen(
            [self.lull, script, str(self.count)],
            env={**os.environ, "XDG_STATE_HOME": state, "XDG_CACHE_HOME": state, "LULL_SHARE": self.url},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.children.append(child)
        return child

    def carry_out(self):
        listener = self.start("listener", LISTENER)
        for _ in range(200):
            if self.redis.ask("PUBSUB", "CHANNELS"):
                break
            time.sleep(0.05)
        else:
            return ["nobody listens"]
        # Wait until it has finished reading the cache.
        time.sleep(0.5)
        writer = self.start("writer", WRITER)
        output, _ = listener.communicate(timeout=120)
        writer.communicate(timeout=120)
        problems = [f"a process ended with {child.returncode}" for child in self.children if child.returncode]
        delays = sorted(float(line) for line in output.split())
        if len(delays) < self.count:
            problems.append(f"{len(delays)} of {self.count} news were heard")
        if delays:
            middle, late = delays[len(delays) // 2], delays[min(len(delays) - 1, len(delays) * 99 // 100)]
            print(f"{len(delays)} news by {self.url.split(':')[0]} on loopback: half of them within {middle * 1000:.2f} ms, "
                  f"99 % within {late * 1000:.2f} ms, all within {delays[-1] * 1000:.2f} ms")
            if late > NEWS_GOAL:
                problems.append(f"99 % of the news took {late * 1000:.1f} ms")
        return problems

    def stop(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        self.redis.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Run:
    def __init__(self, arguments):
        self.lull = os.path.abspath(arguments.lull)
        self.options = arguments
        self.folder = tempfile.mkdtemp(prefix="lull-shared-")
        self.script = os.path.join(self.folder, "client.lua")
        with open(self.script, "w") as file:
            file.write(FAULTS_SCRIPT if arguments.faults else SCRIPT)
        self.random = random.Random(int(os.environ.get("LULL_SHARED_SEED", "1")))
        # One for each process.
        self.errors = []
        self.started = 0
        self.is_over = False
        self.stops = []

    def prepare(self):
        """Starts the server and the counters, then the hosts, which reach it through the bridge."""
        if self.options.hosts == 0:
            state = os.path.join(self.folder, "state")
            os.mkdir(state, 0o700)
            self.places = [([], {"XDG_STATE_HOME": state})]
            self.admissions = FileAdmissions(state)
            self.machines = []
            self.relay = None
            address = "127.0.0.1"
        else:
            Host.make_bridge()
            redis = self.redis = Redis(self.folder, free_port())
            self.stops.append(lambda: self.redis.stop())
            self.relay = Relay(redis.socket, self.options.delay / 1000)
            self.stops.append(self.relay.stop)
            self.replica = None
            if self.options.faults:
                self.replica = Redis(self.folder, free_port(), "replica")
                self.stops.append(lambda: self.replica.stop())
                self.replica.say("replicaof", "127.0.0.1", str(redis.port))
            self.places = []
            self.machines = []
            for number in range(1, self.options.hosts + 1):
                host = Host(number, self.folder)
                self.stops.append(host.stop)
                self.places.append((host.enter, {
                    "XDG_STATE_HOME": host.state, "XDG_CACHE_HOME": host.state,
                    "LULL_SHARE": f"redis://10.77.0.1:{self.relay.port}"}))
                self.machines.append(FileAdmissions(host.state))
            self.admissions = ServerAdmissions(redis)
            address = "10.77.0.1"
        self.nginx = Nginx(self.folder)
        self.stops.append(self.nginx.stop)
        self.url = self.nginx.url.replace("127.0.0.1", address)

    def start(self):
        self.started += 1
        enter, variables = self.places[self.started % len(self.places)]
        errors = open(os.path.join(self.folder, f"errors-{self.started}"), "w+")
        self.errors.append(errors)
        return subprocess.Popen(
            [*enter, self.lull, self.script, self.url, str(self.started)],
            env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=errors)

    def watch(self):
        """Polls the admissions, which are kept for only one second."""
        while not self.is_over:
            self.look()
            time.sleep(0.05)
        self.look()

    def look(self):
        for counts in [self.admissions, *self.machines]:
            counts.look()

    def carry_out(self):
        self.prepare()
        watcher = threading.Thread(target=self.watch)
        watcher.start()
        try:
            problems, kills, faults = self.run_for_a_while()
        finally:
            self.is_over = True
            watcher.join()
        return problems + self.judge(self.nginx.times(), kills, faults)

    def cut(self):
        self.relay.cut()
        return "cut"

    def fault(self):
        """Injects a fault. Returns its kind."""
        kind = self.random.choice(["pause", "restart", "failover", "reset", "swallow"])
        seconds = self.random.uniform(0.2, 2)
        if kind == "pause":
            self.redis.say("client", "pause", str(int(seconds * 1000)))
        elif kind == "restart":
            self.redis.kill()
            time.sleep(seconds)
            self.redis.start()
            self.replica.say("replicaof", "127.0.0.1", str(self.redis.port))
        elif kind == "failover":
            self.redis.kill()
            time.sleep(seconds)
            self.redis, self.replica = self.replica, self.redis
            self.redis.say("replicaof", "no", "one")
            self.relay.path = self.redis.socket
            self.admissions.redis = self.redis
            self.replica.start("--replicaof", "127.0.0.1", str(self.redis.port))
        elif kind == "reset":
            self.relay.reset()
        else:
            self.relay.swallow(seconds)
        return kind

    def run_for_a_while(self):
        children = [self.start() for _ in range(self.options.processes)]
        problems = []
        begin = time.time()
        kills, faults = 0, []
        fault = self.fault if self.options.faults else self.cut if self.options.cuts else None
        next_kill = begin + 1
        next_cut = begin + 2
        while time.time() - begin < self.options.seconds:
            time.sleep(0.05)
            if time.time() >= next_kill:
                next_kill = time.time() + self.random.uniform(0.2, 0.8)
                victim = children.pop(self.random.randrange(len(children)))
                if victim.poll() is not None:
                    problems.append(f"a process ended with {victim.returncode}")
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                kills += 1
                children.append(self.start())
            if fault and time.time() >= next_cut:
                faults.append(fault())
                next_cut = time.time() + self.random.uniform(0.5, 3)
        for child in children:
            if child.poll() is not None:
                problems.append(f"a process ended with {child.returncode}")
            child.kill()
            child.wait()
        return problems, kills, faults

    def stop(self):
        for stop in reversed(self.stops):
            stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def judge_words(self, faults):
        """Checks the output of the processes."""
        problems = []
        for errors in self.errors:
            errors.seek(0)
            # Ignore messages about long-running scripts and unencrypted servers.
            said = [line for line in errors.read().splitlines()
                    if not line.startswith(("lull: still waiting for: ", "lull: warning: data and password are sent unencrypted to "))
                    and " is sent unencrypted to " not in line]
            errors.close()
            lost = [line for line in said if line.startswith("lull: warning: the shared server ")]
            # A lost server causes one warning.
            if faults and len(lost) <= 1:
                said = [line for line in said if line not in lost]
            problems += [f"a process wrote: {line}" for line in said]
        return problems[:5]

    def judge(self, arrived, kills, faults):
        problems = self.judge_words(faults)
        if len(arrived) <= LIMIT:
            return problems + [f"no more than {len(arrived)} requests came"]
        by_admission = self.admissions.most()
        # The shortest time in which that number of requests may be sent.
        full = (len(arrived) - 1) // LIMIT
        span = arrived[full * LIMIT] - arrived[0]
        used = full * PER / span
        where = f" on {self.options.hosts} hosts" if self.options.hosts else ""
        counts = [f"{faults.count(kind)} times {kind}" for kind in sorted(set(faults))]
        what = "".join(", " + text for text in counts)
        if self.options.delay:
            what += f", up to {self.options.delay:g} ms each way"
        print(f"{self.options.processes} processes{where}, {kills} killed{what}: {len(arrived)} requests, at most "
              f"{by_admission} of {LIMIT} in {PER:g} s by admission, {used:.1%} used")
        # The server has 50 ms for each request, and the processors may be busy.
        alone = sorted(moment for machine in self.machines for moment in machine.times())
        if alone:
            print(f"  {len(alone)} of the requests were counted by machines by themselves")
        if faults:
            # While the connection to the server is lost or restored, a window may contain the
            # server's requests and those of the machines.
            by_log = most(arrived, 0.9 * PER)
            print(f"  at most {by_log} by nginx in {0.9 * PER:g} s")
            if max(by_admission, by_log) > 2 * LIMIT:
                problems.append(f"{max(by_admission, by_log)} were let through within {PER:g} s")
            longest = max(b - a for a, b in zip(arrived, arrived[1:]))
            if longest > 10:
                problems.append(f"nothing went on for {longest:.1f} s")
            return problems
        # Each machine that counts alone may additionally admit its share.
        allowed = LIMIT + most(alone, PER)
        if by_admission > allowed:
            problems.append(f"{by_admission} were admitted within {PER:g} s")
        if used < 0.97 and not self.options.delay:
            problems.append(f"{used:.1%} of what is allowed was used")
        if len(alone) > len(arrived) / 50 and not self.options.delay:
            return problems + ["the server was there for all"]
        # Requests counted by a machine are reported to the server later, so they may be counted
        # twice.
        spread = delays(sorted(self.admissions.times() + alone), arrived)
        if spread is None:
            return problems + [f"{len(arrived)} came, not all of which were admitted within {PER:g} s before"]
        least, latest = spread
        window = PER - (latest - least)
        by_log = most(arrived, window)
        print(f"  at most {by_log} by nginx in {window:.3f} s: it came after {least * 1000:.0f} to "
              f"{latest * 1000:.0f} ms")
        if by_log > allowed:
            problems.append(f"nginx saw {by_log} within {window:.3f} s")
        return problems


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("lull")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--hosts", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--cuts", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--news", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.hosts and "LULL_SHARED_NETWORK" not in os.environ:
        # Run in a separate network namespace, which is invisible to others and ends with the
        # program.
        os.execvpe("unshare", ["unshare", "-n", sys.executable, "-B", *sys.argv],
                   {**os.environ, "LULL_SHARED_NETWORK": "own"})
    for _ in range(NEWS_RUNS if arguments.news else 1):
        run = News(arguments) if arguments.news else Run(arguments)
        try:
            problems = run.carry_out()
        finally:
            run.stop()
        if not problems:
            break
    for problem in problems:
        print("shared: " + problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
