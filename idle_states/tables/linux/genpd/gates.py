"""The conditions for turning off a power domain at all, and with it the domains it is part of.

Model of drivers/pmdomain/core.c genpd_power_off(), genpd_power_on() and genpd_sync_power_off().
Left out: a domain that must stay on until boot has ended, and firmware that refuses.
"""

from ....base.dataclass import dataclass
from .features import GenpdFeatures
from .governor import Domain, Moment, power_down_ok, system_power_down_ok

Refusal = str
"""The reason why a domain stays on, for people."""

ALWAYS_ON = "it is always on"
CHILD_ON = "a domain within it is on"
CHILD_SHALLOW = "a domain within it is off, but not in its last state"
DEVICE_ON = "one of its devices is in use"
NOTHING_FITS = "no state fits"


@dataclass(frozen=True, slots=True)
class Answer:
    """A domain that was asked to be off. state: number of the state it entered, None if it stays
    on, for the refusal."""

    domain: Domain
    state: int | None
    refusal: Refusal = ""


def power_off(
    domain: Domain, moment: Moment, features: GenpdFeatures, one_device_on: bool = False
) -> list[Answer]:
    """genpd_power_off(): turns a domain off if it may, and then those it is part of.

    one_device_on: the device on whose behalf this is done, which still counts as active. Returns
    the domains asked, in order; none if the domain is off already.
    """
    if not domain.on:
        return []
    refusal = _refusal(domain, moment, features, one_device_on)
    if refusal:
        return [Answer(domain, None, refusal)]
    if not domain.governed:
        domain.state = 0
    domain.on = False
    answers = [Answer(domain, domain.state)]
    for parent in domain.parents:
        answers += power_off(parent, moment, features)
    return answers


def power_on(domain: Domain) -> None:
    """genpd_power_on(): turns on those it is part of, then itself."""
    if domain.on:
        return
    for parent in domain.parents:
        power_on(parent)
    domain.on = True


def suspend(domain: Domain, moment: Moment, features: GenpdFeatures) -> list[Answer]:
    """genpd_sync_power_off(): as power_off() in suspend-to-idle, where the last state is taken,
    or the deepest within the limit of the latency to wake up. Of moment that limit alone counts."""
    if not domain.on or domain.always_on:
        return []
    refusal = _within(domain, features) if not domain.active else DEVICE_ON
    if not refusal and features.wakeup_limit and domain.governed:
        if not system_power_down_ok(domain, moment.wakeup_limit_us):
            refusal = NOTHING_FITS
    elif not refusal:
        domain.state = len(domain.states) - 1
    if refusal:
        return [Answer(domain, None, refusal)]
    domain.on = False
    answers = [Answer(domain, domain.state)]
    for parent in domain.parents:
        answers += suspend(parent, moment, features)
    return answers


def _refusal(
    domain: Domain, moment: Moment, features: GenpdFeatures, one_device_on: bool
) -> Refusal:
    if domain.always_on or domain.run_time_on:
        return ALWAYS_ON
    refusal = _within(domain, features)
    if refusal:
        return refusal
    if domain.active > (1 if one_device_on else 0):
        return DEVICE_ON
    if domain.governed and not power_down_ok(domain, moment, features):
        return NOTHING_FITS
    return ""


def _within(domain: Domain, features: GenpdFeatures) -> Refusal:
    if any(child.on for child in domain.children):
        return CHILD_ON
    shallow = any(child.state < len(child.states) - 1 for child in domain.children)
    return CHILD_SHALLOW if shallow and features.deepest_children else ""
