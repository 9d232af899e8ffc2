"""What the rules on processors that crash a kernel share."""

from .rule import KernelView, Verdict, Verdicts


def crash(view: KernelView, function: str) -> Verdicts:
    """Yields the verdict on a kernel that crashes in a function over the _CST of the table's own
    processors."""
    acpi, fatal = view.subject.table.origin, view.driver.fatal
    if fatal is None or acpi.form != "acpi" or not fatal.startswith(f"{function}()"):
        return
    if acpi.processors[0].path in view.driver.crashing:
        yield Verdict(view.subject.at(None), f"the kernel crashes: {fatal}")
