#!/usr/bin/env python3
"""Prints the polynomial coefficients and tables of ir/math. Needs mpmath; run only to change them.

Each polynomial is nearly minimax, with the error weighted relative to the function that the kernel finally
computes. Its coefficients are then rounded one at a time, lowest power first, and the rest
is fitted again after each, so that the later ones absorb the rounding of the earlier.
"""
import sys
from mpmath import mp, mpf

mp.dps = 80


def near_minimax(f, weight, powers, low, high):
    """Coefficients of sum c_j x^powers[j] that nearly minimise max |weight (f - poly)| on [low, high].

    Least squares on Chebyshev points, then Lawson's reweighting by the error itself.
    """
    count = 8 * len(powers) + 9
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (k + mpf("0.5")) / count)
              for k in range(count)]
    values = [(x, f(x), weight(x), [x ** p for p in powers]) for x in points]
    lawson = [mpf(1) / count] * count
    best, least = None, None
    for _ in range(10):
        normal, right = mp.matrix(len(powers), len(powers)), mp.matrix(len(powers), 1)
        for (x, y, w, basis), l in zip(values, lawson):
            scale = l * w * w
            for i, bi in enumerate(basis):
                right[i] += scale * bi * y
                for j, bj in enumerate(basis):
                    normal[i, j] += scale * bi * bj
        solution = mp.lu_solve(normal, right)
        errors = [abs(w * (y - sum(c * b for c, b in zip(solution, basis)))) for x, y, w, basis in values]
        if least is None or max(errors) < least:
            best, least = list(solution), max(errors)
        lawson = [l * e for l, e in zip(lawson, errors)]
        total = sum(lawson)
        lawson = [l / total for l in lawson]
    return best


def rounded(value, bits):
    if value == 0:
        return value
    _, exponent = mp.frexp(value)
    scale = mpf(2) ** (bits - exponent)
    return mp.nint(value * scale) / scale


def fit(name, f, weight, powers, low, high, bits, constant_in_two=False):
    """Fits, rounds to `bits` of mantissa, prints from the highest power to the lowest.

    With constant_in_two the constant term is kept, and printed, as a small and a large part.
    """
    fixed = []
    for done in range(len(powers)):
        def rest(x, fixed=tuple(fixed)):
            return f(x) - sum(c * x ** p for c, p in zip(fixed, powers))
        c = near_minimax(rest, weight, powers[done:], low, high)
        fixed.append(rounded(c[0], 2 * bits if constant_in_two and done == 0 else bits))
    worst = max(abs(weight(x) * (f(x) - sum(c * x ** p for c, p in zip(fixed, powers))))
                for x in [low + (high - low) * (k + mpf("0.37")) / 1000 for k in range(1000)])
    print(f"{name}: relative error 2^{mp.nstr(mp.log(worst, 2), 5)}, highest power first")
    shown = split(fixed[0], bits, 2)[::-1] if constant_in_two else fixed[:1]
    print("    " + ",\n    ".join(literal(c, bits) for c in fixed[:0:-1] + shown))


def literal(value, bits):
    text = float(value).hex().replace("0000000000000p", "p")
    head, _, exponent = text.partition("p")
    head = head.rstrip("0") if "." in head else head
    return head.rstrip(".") + "p" + exponent + ("F" if bits == 24 else "")


def split(value, bits, parts):
    """value as a sum of `parts` floats of `bits` bits each."""
    out = []
    for _ in range(parts):
        out.append(rounded(value, bits))
        value -= out[-1]
    return out


def exponentials():
    half_ln2 = mp.log(2) / 2 * mpf("1.0001")
    half = mpf("0.50005")
    for bits, degree in ((24, 6), (53, 11)):
        # e^r = 1 + r + r^2 q(r)
        fit(f"exp{bits}", lambda r: mp.expm1(r) / r ** 2 - 1 / r, lambda r: r ** 2 / mp.exp(r),
            list(range(degree - 1)), -half_ln2, half_ln2, bits)
        # 2^r = 1 + r q(r)
        fit(f"exp2_{bits}", lambda r: (mpf(2) ** r - 1) / r, lambda r: r / mpf(2) ** r,
            list(range(degree)), -half, half, bits)


def logarithms():
    third = mpf("0.3333334")
    # log(1+f) = f - f^2/2 + f^3 p(f)
    def tail(f):
        if abs(f) < mpf(10) ** -12:
            return mpf(1) / 3 - f / 4
        return (mp.log1p(f) - f + f * f / 2) / f ** 3
    fit("log24", tail, lambda f: f ** 3 / mp.log1p(f), list(range(9)), -third, third, 24)
    # log((1+s)/(1-s)) = 2s + s r(s^2); the kernel uses r
    limit = mpf("0.1716")
    fit("log53", lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) - 2 * mp.sqrt(z)) / mp.sqrt(z),
        lambda z: mpf(1) / 2, list(range(1, 8)), mpf(10) ** -12, limit ** 2, 53)


def trigonometry():
    z_max = (mp.pi / 4 * mpf("1.0005")) ** 2
    tiny = mpf(10) ** -10
    for bits, sin_terms, cos_terms in ((24, 4, 4), (53, 6, 6)):
        # sin r = r + r^3 s(r^2),  cos r = 1 - r^2/2 + r^4 c(r^2)
        fit(f"sin{bits}", lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
            lambda z: z * mp.sqrt(z) / mp.sin(mp.sqrt(z)), list(range(sin_terms)), tiny, z_max, bits)
        fit(f"cos{bits}", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z ** 2,
            lambda z: z ** 2 / mp.cos(mp.sqrt(z)), list(range(cos_terms)), tiny, z_max, bits)
        print("half_pi", [literal(c, bits) for c in split(mp.pi / 2, bits, 4)])


def two_over_pi_tables():
    """Row g: (2^E_g * 2/pi) mod 4, nearest to zero, as four floats; E_g as in trig.h."""
    mp.prec = 1400
    for bits, first, step, rows in ((24, -8, 8, 15), (53, -32, 16, 64)):
        print(f"two_over_pi_{bits}")
        for g in range(rows):
            value = mpf(2) ** (first + g * step) * 2 / mp.pi
            value -= 4 * mp.nint(value / 4)
            print("    " + ", ".join(literal(c, bits) for c in split(value, bits, 4)) + ",")
    mp.dps = 80


def error_function():
    # fp32: erf x = x + x p(x^2) below 1, 1 - exp(-q(|x|)) from there on
    fit("erf24_low", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
        lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), list(range(7)), mpf(10) ** -12, mpf("1.0001"), 24)
    fit("erf24_high", lambda x: mp.log(mp.erfc(x)), lambda x: mp.erfc(x) / mp.erf(x),
        list(range(8)), mpf("0.9999"), mpf("3.95"), 24)
    # fp64: erf x = x + x p(x^2) below 1/2; from there one polynomial in x - centre for each quarter
    fit("erf53_low", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
        lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), list(range(10)), mpf(10) ** -12, mpf("0.2501"), 53)
    for g in range(22):
        centre = mpf("0.625") + mpf(g) / 4
        fit(f"erf53_{g}", lambda t: mp.erf(centre + t), lambda t: 1 / mp.erf(centre + t), list(range(13)),
            mpf("-0.1251"), mpf("0.1251"), 53, constant_in_two=True)


def main():
    groups = {"exp": exponentials, "log": logarithms, "trig": trigonometry, "pi": two_over_pi_tables,
              "erf": error_function}
    for name in sys.argv[1:] or groups:
        groups[name]()
    for name, value in (("log2e", 1 / mp.log(2)), ("ln2", mp.log(2))):
        print(name, [literal(c, 24) for c in split(value, 24, 3)], [literal(c, 53) for c in split(value, 53, 3)])


if __name__ == "__main__":
    main()
