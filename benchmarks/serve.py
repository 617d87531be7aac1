"""Measure `isthmus serve` against 127.0.0.1: throughput, latency, what it does under too much load, hostile requests.

    python benchmarks/serve.py MODEL [--seconds 5] [--overload 600] [--hostile 10000]

Starts the server itself, on a free port. Documents are made of the words that the model knows. Each measurement has a
bar, and the script ends with 1 if one was missed. If schemathesis is there (the dependency group `api`), it is let
loose on the OpenAPI description at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import isthmus

WORDS_OF_A_DOCUMENT = 80
WAITING = 2_000
"""Documents that may wait: the limit that too much load goes beyond."""


class Connection:
    """One connection that stays open, which costs the load generator less than a library would."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: bytes) -> int:
        """The status of the answer."""
        head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\ncontent-length: {len(body)}\r\n\r\n"
        return await self.send(head.encode() + body)

    async def send(self, content: bytes) -> int:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        try:
            writer.write(content)
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
            lines = head.decode("latin-1").lower().split("\r\n")
            length = next((int(line[15:]) for line in lines if line.startswith("content-length:")), 0)
            await reader.readexactly(length)
            if "connection: close" in lines:
                await self.close()
            return int(lines[0].split()[1])
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            await self.close()
            return 0

    async def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


@dataclass(frozen=True)
class Load:
    """What came of some requests."""

    rate: float
    """Of those that were answered."""
    half: float
    most: float
    """Milliseconds of the median and of the 99th percentile."""
    statuses: dict[int, int]

    def __str__(self) -> str:
        return (
            f"{self.rate:,.0f} answers per second, p50 {self.half:.0f} ms, p99 {self.most:.0f} ms, "
            f"statuses {self.statuses}"
        )


async def load(port: int, bodies: list[bytes], n_connections: int, seconds: float, rate: float | None = None) -> Load:
    """Requests as fast as they are answered, or at a rate: how many, with which status, and how long they took."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    began = perf_counter()
    end = began + seconds

    async def client(number: int) -> None:
        connection, rng = Connection(port), random.Random(number)
        turn = began + (number / rate if rate else 0)
        while perf_counter() < end:
            if rate:
                await asyncio.sleep(max(turn - perf_counter(), 0))
                turn += n_connections / rate
            start = perf_counter()
            statuses[await connection.post("/v1/label", rng.choice(bodies))] += 1
            times.append(perf_counter() - start)
        await connection.close()

    await asyncio.gather(*(client(number) for number in range(n_connections)))
    taken, times = perf_counter() - began, sorted(times)
    half, most = times[len(times) // 2], times[int(len(times) * 0.99)]
    return Load(statuses[200] / taken, 1000 * half, 1000 * most, dict(sorted(statuses.items())))


def hostile(rng: random.Random, port: int) -> bytes:
    """A request that no friend would send."""
    host = rng.choice([f"127.0.0.1:{port}", f"127.0.0.1:{port}", "evil.example", "", "127.0.0.1", "\x00"])
    method = rng.choice(["POST", "GET", "PUT", "DELETE", "OPTIONS", "BREW"])
    path = rng.choice(
        ["/v1/label", "/v1/models/m/label", "/v1/models/%2e%2e/label", "/v1/models/%00/explain", "/../..", "/%ff"]
    )
    body = rng.choice(
        [
            rng.randbytes(rng.randrange(200)),
            b"[" * rng.randrange(1, 20_000),
            json.dumps({"documents": [rng.choice([1, None, "a", {"text": 3}, {"text": "\ud800"}, [[]]])]}).encode(),
            b'{"documents": ["' + rng.randbytes(20) + b'"]}',
            json.dumps({"documents": ["x" * rng.randrange(100_000)]}).encode(),
        ]
    )
    extra = rng.choice(["", "origin: http://evil.example\r\n", "content-type: \xff\r\n", "cookie: isthmus=;=\r\n",
                        "authorization: Bearer \x7f\r\n", "accept-encoding: " + "x" * 9000 + "\r\n"])  # fmt: skip
    length = rng.choice([str(len(body)), str(len(body)), "-1", "9" * 30, "x"])
    if length != str(len(body)):
        extra += "connection: close\r\n"
    head = f"{method} {path} HTTP/1.1\r\nhost: {host}\r\n{extra}content-length: {length}\r\n\r\n"
    return head.encode("latin-1") + body


async def attack(port: int, n: int) -> dict[int, int]:
    """How hostile requests are answered: how often with which status; 0 if the connection was closed."""
    statuses: Counter[int] = Counter()

    async def attacker(number: int) -> None:
        rng, connection = random.Random(number), Connection(port)
        for _ in range(n // 10):
            statuses[await connection.send(hostile(rng, port))] += 1
            await connection.close()

    await asyncio.gather(*(attacker(number) for number in range(10)))
    return dict(sorted(statuses.items()))


def memory(process: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1000


def schema(port: int) -> bool | None:
    """Whether schemathesis finds nothing in the OpenAPI description; None where it is not installed."""
    program = shutil.which("schemathesis", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    if program is None:
        return None
    command = [program, "run", f"http://127.0.0.1:{port}/openapi.json", "--no-color"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    print("\n".join(done.stdout.splitlines()[-3:] if done.returncode == 0 else done.stdout.splitlines()))
    return done.returncode == 0


class Bars:
    """Measurements, each with what it must be."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def show(self, name: str, measured: object, good: bool, bar: str) -> None:
        print(f"{name}: {measured}  [{'reached' if good else 'MISSED'}: {bar}]", flush=True)
        if not good:
            self.missed.append(name)


def measure(port: int, process: int, texts: list[str], options: argparse.Namespace) -> list[str]:
    """All measurements, one after the other; the bars that were missed."""
    run, bars, rng = asyncio.run, Bars(), random.Random(0)
    single = [json.dumps({"documents": [text]}).encode() for text in texts]
    batches = [json.dumps({"documents": rng.sample(texts, 200)}).encode() for _ in range(20)]
    found = run(load(port, single, 16, options.seconds))
    bars.show("one document", found, found.rate >= 300, "300 requests a second")
    found = run(load(port, single, 16, options.seconds, rate=150))
    bars.show("150 requests a second", found, found.most < 100, "p99 under 100 ms")
    found = run(load(port, batches, 4, options.seconds))
    bars.show("batches of 200", found, found.rate * 200 >= 5_000, "5,000 documents a second")
    run(load(port, batches, 100, min(options.seconds, options.overload)))  # what grows once
    before = memory(process)
    found = run(load(port, batches, 2 * WAITING // 200, options.overload))
    grown = memory(process) / before - 1
    only = set(found.statuses) <= {200, 429, 503}
    bars.show(f"twice the limit for {options.overload:g} s", found, only, "no error but 429 and 503")
    bars.show("memory", f"{before:.0f} MB, {grown:+.1%}", grown < 0.05, "no growth")
    answered = run(attack(port, options.hostile))
    good = not any(status >= 500 for status in answered) and sum(answered.values()) == options.hostile // 10 * 10
    bars.show(f"{options.hostile:,} hostile requests", answered, good, "no 500")
    found = run(load(port, single, 4, 1))
    bars.show("afterwards", found, set(found.statuses) == {200}, "all is well")
    if (nothing := schema(port)) is not None:
        bars.show("schemathesis", "finds nothing" if nothing else "finds something", nothing, "nothing")
    return bars.missed


def main() -> None:
    """Start the server, measure, and end with 1 if a bar was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--overload", type=float, default=600, help="seconds at twice the limit")
    parser.add_argument("--hostile", type=int, default=10_000)
    options = parser.parse_args()
    rng = random.Random(0)
    words = isthmus.load(options.model).vectorizer.get_feature_names_out().tolist()
    texts = [" ".join(rng.choices(words, k=WORDS_OF_A_DOCUMENT)) for _ in range(1000)]
    command = [sys.executable, "-m", "isthmus", "serve", f"m={options.model}", "--port", "0"]
    command += ["--most-waiting", str(WAITING)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1].split(".")[0])
        try:
            missed = measure(port, server.pid, texts, options)
        finally:
            server.terminate()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
