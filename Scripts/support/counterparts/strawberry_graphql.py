"""strawberry's GraphQL server under uvicorn: calls of an API file, checked against its schema."""
# pip: strawberry-graphql==0.341.2 uvicorn==0.54.0 starlette==1.10.0

import asyncio
import enum
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import typing

import strawberry
import uvicorn
from counterpart import HERE, lull
from strawberry import relay
from strawberry.asgi import GraphQL
from strawberry.extensions import QueryDepthLimiter
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL

# The errors of resolvers are expected.
logging.disable(logging.ERROR)
counts = {"books": 0, "posts": 0, "bodies": []}


@strawberry.enum
class Genre(enum.Enum):
    FICTION = "fiction"
    FACT = "fact"


@strawberry.type
class Book(relay.Node):
    id: relay.NodeID[int]
    title: str
    genre: Genre

    @strawberry.field
    def secret(self) -> typing.Optional[str]:
        raise PermissionError("not for you")

    @strawberry.field(deprecation_reason="Use title.")
    def name(self) -> str:
        return self.title

    @classmethod
    def resolve_nodes(cls, *, info, node_ids, required=False):
        return [BOOKS[int(i) - 1] for i in node_ids]


BOOKS = [Book(id=i, title=f"Book {i} – ü", genre=Genre.FACT if i % 3 else Genre.FICTION) for i in range(1, 36)]


@strawberry.input
class NewBook:
    title: str
    genre: Genre = Genre.FACT
    tags: typing.List[str] = strawberry.field(default_factory=list)


@strawberry.type
class Added:
    title: str
    genre: Genre
    tags: typing.List[str]


@strawberry.type
class Query:
    @strawberry.field
    def book(self, number: int) -> typing.Optional[Book]:
        counts["books"] += 1
        if number > len(BOOKS):
            raise ValueError(f"there is no book {number}")
        return BOOKS[number - 1]

    @relay.connection(relay.ListConnection[Book])
    def books(self, genre: typing.Optional[Genre] = None) -> typing.Iterable[Book]:
        return [book for book in BOOKS if genre is None or book.genre == genre]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add(self, book: NewBook) -> Added:
        counts["posts"] += 1
        return Added(title=book.title, genre=book.genre, tags=book.tags)


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def count(self, to: int = 3) -> typing.AsyncGenerator[int, None]:
        for number in range(1, to + 1):
            yield number
            await asyncio.sleep(0)


schema = strawberry.Schema(
    query=Query, mutation=Mutation, subscription=Subscription,
    extensions=[lambda: QueryDepthLimiter(max_depth=12)])
application = GraphQL(schema, subscription_protocols=[GRAPHQL_SSE_PROTOCOL])
config = uvicorn.Config(application, host="127.0.0.1", port=0, log_level="critical")
listener = config.bind_socket()
server = uvicorn.Server(config)
thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
thread.start()
while not server.started:
    time.sleep(0.01)
url = f"http://127.0.0.1:{listener.getsockname()[1]}"


def command(*words, cwd, code=0):
    """Runs lull with these words, and ends with a difference if the exit code is another one."""
    run = subprocess.run(
        [os.environ["LULL_PROGRAM"], *words], cwd=cwd, capture_output=True, text=True, timeout=120,
        check=False, stdin=subprocess.DEVNULL)
    if run.returncode != code:
        problems.append(f"lull {' '.join(words)}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout, run.stderr


problems = []


def compare(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: expected {wanted!r}, found {found!r}")


try:
    with tempfile.TemporaryDirectory() as folder:
        apis = pathlib.Path(folder, "apis")
        apis.mkdir()
        pathlib.Path(folder, ".git").mkdir()
        (apis / "library.graphql").write_text(schema.as_str())
        (apis / "library.lua").write_text((HERE / "strawberry_graphql_api.lua").read_text().replace("URL", url))
        command("check", "apis/library.lua", cwd=folder)
        compare("a call", command("call", "library", "book", "--number", "7", "-f", "x.book.title", cwd=folder)[0],
                '"Book 7 – ü"\n')
        out, err = command("call", "library", "secret", "--number", "2", cwd=folder, code=4)
        compare("partial data", out, '{"book":{"title":"Book 2 – ü","secret":null}}\n')
        if "not for you (book.secret)" not in err:
            problems.append(f"the partial error: {err!r}")
        out, err = command("call", "library", "book", "--number", "99", cwd=folder, code=4)
        if "there is no book 99" not in err:
            problems.append(f"the error: {err!r}")
        compare("all pages", command("call", "library", "books", "--all", "--first", "4", "-f", "count(x)", cwd=folder)[0],
                "35\n")
        compare("an enum", command("call", "library", "books", "--all", "--genre", "FICTION", "-f", "count(x)", cwd=folder)[0],
                "11\n")
        compare("a subscription", command("call", "library", "count", "--to", "4", cwd=folder)[0],
                "".join(f'{{"count":{n}}}\n' for n in range(1, 5)))
        counts["books"] = 0
        said = lull("strawberry_graphql.lua", str(apis / "library.lua"))
        if said:
            problems.append(said)
        compare("requests of the script", counts["books"], 2)
        compare("mutations", counts["posts"], 1)
finally:
    server.should_exit = True
    thread.join()
if problems:
    sys.exit("\n".join(problems))
