"""Runs row sums and maxima and three softmaxes of kernels/ through the command, and shows their rows next to a reference.

    python3 scripts/chapter.py PATH/TO/tilery

Inputs are written as .npy files, outputs read back from .npy files. The reference is plain float64 Python (math.exp, sum, max) rounded to
fp32, and knows nothing of Tilery. Needs no packages. Exits 1 if a row differs from the reference.
"""

import ast
import math
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
ORDINARY = [[1.0, 2.0, 3.0, 0.5]]
LARGE = [[100.0, 101.0, 50.0, 0.0]]
ROWS = [
    [1.0, 5.0, 2.0, 0.0, 3.0, -1.0],
    [-2.0, -1.0, -3.0, -4.0, 0.0, 1.0],
    [10.0, 20.0, 5.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
]
WIDE = [[3.0, 1.0, 0.5, -2.0, 4.0, 0.0, -1.0, 2.0, 5.0, -3.0]]
WIDE_LARGE = [[100.0, 50.0, 101.0, 0.0, 99.0, -5.0, 100.5, 20.0, 0.0, 0.0]]


def fp32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def softmax(row):
    top = max(row)
    weights = [math.exp(v - top) for v in row]
    return [fp32(w / math.fsum(weights)) for w in weights]


def write_npy(path, rows):
    head = str({"descr": "<f4", "fortran_order": False, "shape": (len(rows), len(rows[0]))})
    head += " " * (-(len(head) + 11) % 64) + "\n"
    data = b"".join(struct.pack("<f", v) for row in rows for v in row)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def read_npy(path):
    raw = path.read_bytes()
    size = struct.unpack("<H", raw[8:10])[0]
    shape = ast.literal_eval(raw[10 : 10 + size].decode())["shape"]
    values = struct.unpack(f"<{math.prod(shape)}f", raw[10 + size :])
    return values, shape


class Chapter:
    def __init__(self, tilery, folder):
        self.tilery = tilery
        self.folder = folder
        self.failures = 0

    def run(self, kernel, rows, outputs, options):
        """Runs a kernel over rows; returns its outputs by name, and what it printed on stderr."""
        write_npy(self.folder / "x.npy", rows)
        command = [self.tilery, "run", str(KERNELS / f"{kernel}.tl"), f"x_ptr=@{self.folder / 'x.npy'}"]
        command += [f"{name}=empty:f32{list(shape)}".replace(" ", "") for name, shape in outputs.items()]
        command += [f"stride_row={len(rows[0])}", f"N={len(rows[0])}", *options, "--grid", str(len(rows))]
        for name in outputs:
            command += ["--out", f"{name}={self.folder / name}.npy"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nfailed with {done.returncode}:\n{done.stdout}{done.stderr}")
        return {name: read_npy(self.folder / f"{name}.npy")[0] for name in outputs}, done.stderr

    def show(self, title, got, want, tolerance):
        def same(a, b):
            return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(abs(b), 1e-30)

        good = all(same(a, b) for a, b in zip(got, want))
        self.failures += not good
        print(f"  {title:9} {'  '.join(f'{v:.7g}' for v in got)}")
        print(f"  reference {'  '.join(f'{v:.7g}' for v in want)}   {'ok' if good else 'DIFFERS'}")

    def softmax(self, kernel, rows, want=None, tolerance=1e-6, options=("BLOCK_N=8",)):
        print(f"\n{kernel} on {rows[0]}")
        out, warnings = self.run(kernel, rows, {"out_ptr": (len(rows), len(rows[0]))}, options)
        self.show("tilery", out["out_ptr"], want or softmax(rows[0]), tolerance)
        return warnings


def show_kernels(chapter):
    print("row_sum_max on four rows of six")
    out, _ = chapter.run("row_sum_max", ROWS, {"sum_ptr": (4,), "max_ptr": (4,)}, ("BLOCK_N=8",))
    chapter.show("sums", out["sum_ptr"], [sum(r) for r in ROWS], 0)
    chapter.show("maxes", out["max_ptr"], [max(r) for r in ROWS], 0)

    chapter.softmax("naive_softmax", ORDINARY)
    chapter.softmax("stable_softmax", ORDINARY)
    warnings = chapter.softmax("naive_softmax", LARGE, want=[math.nan, math.nan, 0.0, 0.0])
    print(warnings.rstrip())
    for text in ("overflow encountered in exp", "invalid value encountered in divide"):
        if warnings.count(text) != 1:
            chapter.failures += 1
            print(f"  expected the warning `{text}` once")
    chapter.softmax("stable_softmax", LARGE)
    chunks = ("BLOCK_N=4", "NUM_CHUNKS=3")
    chapter.softmax("online_softmax", WIDE, options=chunks)
    chapter.softmax("online_softmax", WIDE_LARGE, options=chunks)


def show_planted_bug(chapter):
    print("\nstable_softmax with a planted bug: the mask lets one lane too many through")
    broken = chapter.folder / "broken_softmax.tl"
    broken.write_text((KERNELS / "stable_softmax.tl").read_text().replace("cols < N", "cols <= N"))
    write_npy(chapter.folder / "x.npy", ORDINARY)
    done = subprocess.run(
        [chapter.tilery, "run", str(broken), f"x_ptr=@{chapter.folder / 'x.npy'}", "out_ptr=empty:f32[1,4]",
         "stride_row=4", "N=4", "BLOCK_N=8", "--grid", "1"],
        capture_output=True, text=True,
    )
    print(done.stderr.rstrip())
    if done.returncode != 1 or "out-of-bounds" not in done.stderr:
        chapter.failures += 1
        print(f"  expected an out-of-bounds finding and exit code 1, not {done.returncode}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="tilery-chapter-") as folder:
        chapter = Chapter(sys.argv[1], Path(folder))
        show_kernels(chapter)
        show_planted_bug(chapter)
    print("\nall as expected" if chapter.failures == 0 else f"\n{chapter.failures} differences")
    sys.exit(chapter.failures != 0)


if __name__ == "__main__":
    main()
