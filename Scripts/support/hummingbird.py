"""Runs the gateway of Examples/hummingbird-gateway between a counting server and 10,000
connections.

    hummingbird.py PROGRAM

The server holds every response until all connections have sent a request, so that all handlers wait
at the same time. Each item must have been requested exactly once. Prints only problems, and exits
with 0 only if there are none.
"""

import asyncio
import collections
import json
import re
import resource
import signal
import sys

askers = 10_000
items = 25


class Upstream:
    """Responds to GET /items/N once the gate is open, and counts requests."""

    def __init__(self):
        self.counts = collections.Counter()
        self.gate = asyncio.Event()

    async def serve(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ")[1].decode()
                self.counts[path] += 1
                await self.gate.wait()
                number = int(path.rpartition("/")[2])
                status = "200 OK" if number < items else "404 Not Found"
                body = json.dumps({"number": number, "title": f"item {number}"}).encode()
                writer.write(f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n"
                             f"content-length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def answer(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = int(re.search(r"(?i)content-length: (\d+)", head)[1])
    return int(head.split(" ")[1]), (await reader.readexactly(length)).decode()


async def ask(port, number, sent=lambda: None):
    """Returns the status and the body. Calls `sent` when the request was sent, or could not be."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /items/{number} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        await writer.drain()
    finally:
        sent()
    try:
        return await answer(reader)
    except ConnectionResetError:
        # The kernel reset the connection because its accept queue was full. The request was not
        # received.
        return await ask(port, number)
    finally:
        writer.close()


class Log:
    """Reads the gateway's standard error, which includes the port it listens on."""

    def __init__(self, stream):
        self.lines = []
        self.port = asyncio.get_running_loop().create_future()
        self.end = asyncio.create_task(self.read(stream))

    async def read(self, stream):
        while line := await stream.readline():
            self.lines.append(line.decode(errors="replace"))
            found = re.search(r"listening on [0-9.]+:(\d+)", self.lines[-1])
            if found and not self.port.done():
                self.port.set_result(int(found[1]))
        if not self.port.done():
            self.port.set_exception(EOFError("it has ended before it listened"))


async def ask_all(port, upstream):
    left = askers
    everybody = asyncio.Event()

    def sent():
        nonlocal left
        left -= 1
        if left == 0:
            everybody.set()

    # Limit the number of pending connections to the gateway's backlog.
    tasks = []
    for number in range(askers):
        tasks.append(asyncio.create_task(ask(port, number % items, sent)))
        if number % 100 == 99:
            await asyncio.sleep(0.02)
    await everybody.wait()
    upstream.gate.set()
    return await asyncio.gather(*tasks)


async def main(program):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < askers + 500:
        sys.exit(f"{askers} connections need that many descriptors, and {hard} is the limit: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    upstream = Upstream()
    server = await asyncio.start_server(upstream.serve, "127.0.0.1", 0)
    base = "http://127.0.0.1:%d" % server.sockets[0].getsockname()[1]
    gateway = await asyncio.create_subprocess_exec(program, base, "0", stderr=asyncio.subprocess.PIPE)
    problems = []
    log = Log(gateway.stderr)
    try:
        port = await asyncio.wait_for(log.port, 60)
        answers = await ask_all(port, upstream)
        for number, found in enumerate(answers):
            expected = {"number": number % items, "title": f"item {number % items}"}
            if found[0] != 200 or json.loads(found[1]) != expected:
                problems.append(f"asker {number} got {found}")
        wrong = {path: count for path, count in upstream.counts.items() if count != 1}
        if wrong or len(upstream.counts) != items:
            problems.append(f"{items} items were asked for {upstream.counts.total()} times: {wrong}")
        missing = await ask(port, items)
        if missing[0] != 404:
            problems.append(f"an item that is not there gave {missing}")
        # Expect one structured log line for each request. The gateway may still be writing them.
        for _ in range(100):
            exchanges = [line for line in log.lines if "exchange" in line and "/items/" in line]
            if len(exchanges) > items:
                break
            await asyncio.sleep(0.05)
        if len(exchanges) != items + 1 or sum("error=status" in line for line in exchanges) != 1:
            problems.append(f"{items + 1} requests were logged as {len(exchanges)}: {exchanges[-2:]}")
        gateway.send_signal(signal.SIGTERM)
        status = await asyncio.wait_for(gateway.wait(), 30)
        if status != 0:
            problems.append(f"told to end, it ended with {status}")
    except (OSError, EOFError, asyncio.TimeoutError) as failure:
        problems.append(f"{type(failure).__name__}: {failure}")
    finally:
        if gateway.returncode is None:
            gateway.kill()
        server.close()
    if problems:
        await log.end
        problems.append(f"It ended with {await gateway.wait()}, and said: {''.join(log.lines)[-2000:]}")
    print("\n".join(problems[:9] + problems[9:][-1:]), end="\n" if problems else "")
    return 1 if problems else 0


sys.exit(asyncio.run(main(sys.argv[1])))
