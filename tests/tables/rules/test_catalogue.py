"""The catalogue imports the rules that look at a form of tables, and no rule less."""

import importlib
import inspect
import pkgutil
import re

import pytest

import idle_states.tables.rules as package
from idle_states.tables.rules.catalogue import rule_of, rules, rules_on
from idle_states.tables.rules.loaded import LoadedRule
from idle_states.tables.rules.rule import FORMS


@pytest.mark.parametrize("form", FORMS)
def test_all_rules_on_a_form_are_found(form: str) -> None:
    wanted = [each for each in rules() if each.rule.checks and form in each.rule.forms]
    assert wanted
    assert list(rules_on(form)) == wanted


@pytest.mark.parametrize("loaded", rules(), ids=lambda each: each.rule.code)
def test_a_rule_is_found_by_its_file_s_name_and_nothing_else(loaded: LoadedRule) -> None:
    """Its code is in the name of one file, which the catalogue imports for it."""
    assert rule_of(loaded.rule.code) is loaded
    assert loaded.page.startswith(f"{loaded.rule.code} {loaded.rule.name}: ")
    assert loaded.page.count("\nExample\n") == 1


def test_files_have_the_rules_that_their_names_say() -> None:
    found = [
        each.rule.code
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        if re.search(r"\.is[0-9]{3}_", info.name)
        for each in LoadedRule.all_of(importlib.import_module(info.name))
    ]
    assert sorted(found) == [each.rule.code for each in rules()]


def test_rules_whose_severity_varies_say_so() -> None:
    """A check that gives a verdict its own severity belongs to such a rule."""
    own = re.compile(r"\.verdict\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\bseverity=")
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if re.search(r"\.is[0-9]{3}_", info.name):
            module = importlib.import_module(info.name)
            varies = [each.rule.code for each in LoadedRule.all_of(module) if each.rule.varies]
            assert bool(varies) == bool(own.search(inspect.getsource(module))), info.name
