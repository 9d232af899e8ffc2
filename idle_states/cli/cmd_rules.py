"""Lists all rules with their severity and one line each."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format

    add_format(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..report.documents.rules import Rules
    from ..report.json_output import envelope
    from ..rules.catalogue import rules
    from .options import output

    out = output(arguments)
    if out.format == "json":
        out.document(envelope("rules", Rules, rules()))
        return 0
    from ..report.tables import columns

    rows = [
        (loaded.rule.code, loaded.rule.name, str(loaded.rule.severity), loaded.summary)
        for loaded in rules()
    ]
    out.text(columns(("RULE", "NAME", "SEVERITY", "WHAT IT FINDS"), rows))
    return 0
