"""The table of the results."""

# Decimal places by unit.
DIGITS = {"/s": 0, "B": 0, "instr.": 0, "MB": 1}


def amount(value, unit):
    return f"{value:,.{DIGITS.get(unit, 2)}f} {unit}"


def cells(row):
    unit = row["unit"]
    if "ratio" not in row:
        return (amount(row["lull"], unit), "", "", "≤ " + amount(row["goal"], unit))
    sign = "≥" if row["goal_is"] == "at least" else "≤"
    return (
        amount(row["lull"], unit), amount(row["reference"], unit), f"{row['ratio']:.2f}",
        f"{sign} {row['goal']:.2f}")


def show(rows, notes):
    lines = [("", "workload", "Lull", "reference", "ratio", "goal", "")]
    for row in rows:
        lines.append((row["row"], row["workload"], *cells(row), "ok" if row["ok"] else "short"))
    widths = [max(len(line[column]) for line in lines) for column in range(7)]
    for line in lines:
        padded = [
            cell.rjust(width) if 2 <= column <= 4 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(padded).rstrip())
    print()
    for note in notes:
        print(note)
