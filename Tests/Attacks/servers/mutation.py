"""Answers that nobody has thought of."""

from case import Case


def mutation(lot, name, answers):
    """One of the answers with bytes changed, missing, doubled or moved, cut into pieces by lot."""
    answer = bytearray(lot.choice(answers)[:20_000])
    for _ in range(lot.randrange(1, 8)):
        if not answer:
            break
        place = lot.randrange(len(answer))
        length = lot.randrange(1, 20)
        kind = lot.randrange(5)
        if kind == 0:
            answer[place] = (
                lot.choice(b"\0\r\n :;,0129afAF\xff\x80\x7f+-") if lot.random() < 0.7 else lot.randrange(256)
            )
        elif kind == 1:
            del answer[place : place + length]
        elif kind == 2:
            answer[place:place] = answer[place : place + length] * lot.randrange(1, 50)
        elif kind == 3:
            answer[place:place] = lot.choice(
                [
                    b"\r\n",
                    b"\n",
                    b"\0",
                    b"Content-Length: 5\r\n",
                    b"0\r\n\r\n",
                    b"Transfer-Encoding: chunked\r\n",
                    b"Content-Encoding: gzip\r\n",
                ]
            )
        else:
            answer[place : place + length] = lot.randbytes(length)
    cuts = sorted(lot.randrange(len(answer) + 1) for _ in range(lot.randrange(4)))
    pieces = [bytes(answer[one:other]) for one, other in zip([0, *cuts], [*cuts, len(answer)])]
    return Case(name, pieces, None, "close", seconds=2, verb=lot.random() < 0.3, memory=260)
