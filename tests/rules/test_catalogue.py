"""The catalogue imports the rules that look at a form of tables, and no rule less."""

import pytest

from idle_states.rules.catalogue import rules, rules_on
from idle_states.rules.rule import FORMS


@pytest.mark.parametrize("form", FORMS)
def test_all_rules_on_a_form_are_found(form: str) -> None:
    wanted = [each for each in rules() if each.check is not None and form in each.rule.forms]
    assert wanted
    assert list(rules_on(form)) == wanted
