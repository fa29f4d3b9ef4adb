"""Writes and reads YSON with the vendor's codec, as a test asks line by line.

  write SEED   a random value: what it is, and its text, pretty and binary form
  read HEX     what the value is, or error

Forms are in hexadecimal. What a value is stands as tokens: k:, s: (bytes in
hexadecimal), i:, u:, d: (bits in hexadecimal), b:, #, and brackets.
"""

import random
import struct
import sys

import yt_yson_bindings as codec
from yt import yson

STRINGS = [
    b"", b"a", b"true", b"%true", b"#", b"123", b"-1.5", b"{}", b"<Root>", b'"', b"\\", b"\\x", b"\\x41", b"'", b"\n", b"\r\n\t\v\f\0\a\b",
    b"\x00\x01\x02\x03\x04\x05\x06\x07", b"\x7f\x80\xff\xfe", b"\0001", b"\x01a", b"zo\xc3\xab", b"\xd0\xb6\xf0\x9f\x98\x80", b"\xed\xb8\x80",
    b"};{\x01", b"};\n{", b" a ", b"a;b=c", b"??=", b"/slash/", b"x" * 300, bytes(range(256)), b"\xff" * 64,
]
INTS = [0, 1, -1, 63, 64, -64, -65, 127, 128, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)]
UINTS = [0, 1, 127, 128, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
DOUBLES = [0.0, -0.0, 1.0, -2.0, 0.1, 1e300, -1e-300, 5e-324, 1.7976931348623157e308, 123456789.125, 1e15, 1e16, 1e21, float("nan"), float("inf"), -float("inf")]


def string(r):
    if r.random() < 0.5:
        return r.choice(STRINGS)
    return bytes(r.choice([r.randrange(256), r.randrange(32, 127)]) for _ in range(r.randrange(20)))


def value(r, depth):
    kind = r.choice("iiusssdb#" + "lm" * 4 if depth > 0 else "iusdb#")
    if kind == "i":
        v = yson.YsonInt64(r.choice(INTS) if r.random() < 0.5 else r.randrange(-(2**63), 2**63))
    elif kind == "u":
        v = yson.YsonUint64(r.choice(UINTS) if r.random() < 0.5 else r.randrange(2**64))
    elif kind == "s":
        v = yson.YsonString(string(r))
    elif kind == "d":
        x = r.choice(DOUBLES) if r.random() < 0.5 else struct.unpack("<d", r.randbytes(8))[0]
        v = yson.YsonDouble(x)
    elif kind == "b":
        v = yson.YsonBoolean(r.random() < 0.5)
    elif kind == "#":
        v = yson.YsonEntity()
    elif kind == "l":
        v = yson.YsonList(value(r, depth - r.randrange(1, 4)) for _ in range(r.randrange(5)))
    else:
        v = yson.YsonMap((string(r), value(r, depth - r.randrange(1, 4))) for _ in range(r.randrange(5)))
    if r.random() < 0.2:
        v.attributes = {string(r): value(r, depth - 3) for _ in range(r.randrange(1, 4))}
    return v


def tall(r):
    v = value(r, 2)
    for _ in range(r.randrange(200)):
        v = yson.YsonList([v]) if r.random() < 0.5 else yson.YsonMap({string(r): v})
    return v


def tokens(v, out):
    if getattr(v, "attributes", None):
        out.append("<")
        entries(v.attributes, out)
        out.append(">")
    if v is None or isinstance(v, yson.YsonEntity):
        out.append("#")
    elif isinstance(v, (bool, yson.YsonBoolean)):
        out.append("b:true" if v else "b:false")
    elif isinstance(v, yson.YsonUint64):
        out.append("u:%d" % v)
    elif isinstance(v, int):
        out.append("i:%d" % v)
    elif isinstance(v, float):
        out.append("d:nan" if v != v else "d:%016x" % struct.unpack("<Q", struct.pack("<d", v))[0])
    elif isinstance(v, bytes):
        out.append("s:" + v.hex())
    elif isinstance(v, list):
        out.append("[")
        for item in v:
            tokens(item, out)
        out.append("]")
    elif isinstance(v, dict):
        out.append("{")
        entries(v, out)
        out.append("}")
    else:
        raise TypeError(type(v))


def entries(m, out):
    for k, v in m.items():
        out.append("k:" + k.hex())
        tokens(v, out)


def told(v):
    out = []
    tokens(v, out)
    return " ".join(out)


def write(seed):
    r = random.Random(seed)
    v = tall(r) if seed % 10 == 0 else value(r, 8)
    return "\t".join([told(v)] + [codec.dumps(v, yson_format=f).hex() for f in ("text", "pretty", "binary")])


def read(text):
    try:
        return told(codec.loads(text, encoding=None, always_create_attributes=False))
    except Exception:  # of many kinds, all of the codec
        return "error"


def main():
    sys.setrecursionlimit(10000)
    for line in sys.stdin:
        order, _, what = line.strip().partition(" ")
        print(write(int(what)) if order == "write" else read(bytes.fromhex(what)), flush=True)


main()
