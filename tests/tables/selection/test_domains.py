"""select's power domains: what a cluster enters once its last CPU idles."""

import json
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.linux.driver_table import DriverState, DriverTable
from idle_states.tables.linux.genpd.features import features
from idle_states.tables.linux.genpd.gates import power_off, power_on
from idle_states.tables.linux.genpd.governor import NO_LATENCY_LIMIT_US, Domain, Moment
from idle_states.tables.linux.genpd.tables import CpuDomain, DomainState
from idle_states.tables.linux.releases import release
from idle_states.tables.selection.domains import DomainSelection, domain_selections
from idle_states.tables.skiboot.platform import BadPlatform, parse_platform
from tests.support.clusters import board, written

US = 1_000
STATES = tuple(
    DomainState(name, entry * US, leave * US, residency * US)
    for name, entry, leave, residency in (
        ("retention", 500, 400, 2_000),
        ("off", 2_000, 3_000, 6_000),
        ("deep", 3_000, 4_000, 90_000),
    )
)


def domain(name: str, states: tuple[DomainState, ...], **more: object) -> CpuDomain:
    return CpuDomain(name, f"/psci/{name}", "cluster", "", ("cpu@0", "cpu@1"), states, **more)  # type: ignore[arg-type]


def selected(
    *domains: CpuDomain, kernel: str = "7.3", limit_us: int = NO_LATENCY_LIMIT_US
) -> tuple[DomainSelection, ...]:
    table = DriverTable(
        kernel, (DriverState(0, "WFI", 1, 1, "wfi"), DriverState(1, "sleep", 9, 9, "psci"))
    )
    table = DriverTable(kernel, table.states, domains=domains)
    return domain_selections(table, release(kernel), [limit_us])


def shown(each: DomainSelection, first: bool = False) -> list[tuple[int, int | None, int | None]]:
    ranges = each.maps[0].first if first else each.maps[0].ranges
    return [(r.first_ns, r.last_ns, r.state) for r in ranges]


def test_ranges() -> None:
    (each,) = selected(domain("cluster", STATES[:2]))
    assert each.asked_by == "sleep"
    assert shown(each) == [
        (0, 2_499_999, None),
        (2_500_000, 7_999_999, 0),
        (8_000_000, None, 1),
    ]


@pytest.mark.parametrize("kernel", ["5.6", "5.15", "6.1", "6.6.99", "6.12.40", "7.3"])
@pytest.mark.parametrize("limit_us", [NO_LATENCY_LIMIT_US, 5_000, 1_000, 0])
def test_ranges_are_the_models(kernel: str, limit_us: int) -> None:
    """At every length that is tried, for the second time."""
    (each,) = selected(domain("cluster", STATES), kernel=kernel, limit_us=limit_us)
    known = features(release(kernel))
    for idle_ns in (1, 2_499_999, 2_500_000, 7_999_999, 8_000_000, 92_999_999, 93_000_000, 10**12):
        kept = Domain(STATES, frozenset({0}))
        for _ in range(2):
            power_on(kept)
            state = power_off(kept, Moment(0, {0: idle_ns}, limit_us), known)[0].state
        (found,) = (
            taken
            for first, last, taken in shown(each)
            if first <= idle_ns and (last is None or idle_ns <= last)
        )
        assert found == state


def test_third_state_is_entered_once() -> None:
    (each,) = selected(domain("cluster", STATES))
    assert shown(each, first=True)[-1] == (93_000_000, None, 2)
    assert shown(each)[-1] == (8_000_000, None, 1)


@pytest.mark.parametrize(
    ("kernel", "states", "limit_us", "blocked"),
    [
        ("7.3", STATES, NO_LATENCY_LIMIT_US, "cluster"),
        ("7.3", STATES[:2], NO_LATENCY_LIMIT_US, ""),
        ("7.3", STATES[:2], 4_999, "cluster"),
        # limits do not hold, and, before 5.18, no domain waits for the last state
        ("6.1", STATES[:2], 4_999, ""),
        ("5.17", STATES, NO_LATENCY_LIMIT_US, ""),
    ],
)
def test_domain_around_waits_for_the_last_state(
    kernel: str, states: tuple[DomainState, ...], limit_us: int, blocked: str
) -> None:
    domains = domain("cluster", states), domain("system", STATES[:1])
    inner, outer = selected(*domains, kernel=kernel, limit_us=limit_us)
    assert (inner.blocked, outer.blocked) == (("",), (blocked,))


def test_without_governor_and_dead() -> None:
    (each,) = selected(domain("cluster", STATES, governed=False))
    assert shown(each) == [(0, None, 0)]
    (each,) = selected(domain("cluster", STATES, dead="because"))
    assert each.maps == ()
    assert selected(domain("cpu-pd0", ())) == ()


def test_cpus_without_idle_states_ask_for_nothing() -> None:
    """Their driver was not registered: no CPU enters a last state, which would ask."""
    table = DriverTable("6.12", (), domains=(domain("cluster", STATES),))
    assert domain_selections(table, release("6.12"), [NO_LATENCY_LIMIT_US]) == ()


TREE = """/dts-v1/;
/ {
    cpus {
        #address-cells = <1>; #size-cells = <0>;
        cpu@0 {
            device_type = "cpu"; reg = <0>; enable-method = "psci";
            power-domains = <&pd0>; power-domain-names = "psci";
        };
        sleep: cpu-sleep {
            compatible = "arm,idle-state"; arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <100>; exit-latency-us = <100>; min-residency-us = <900>;
        };
        off: cluster-off {
            compatible = "domain-idle-state"; arm,psci-suspend-param = <0x1010000>;
            entry-latency-us = <500>; exit-latency-us = <400>; min-residency-us = <2000>;
        };
    };
    psci {
        compatible = "arm,psci-1.0";
        pd0: cpu-pd {
            #power-domain-cells = <0>; power-domains = <&pd>; domain-idle-states = <&sleep>;
        };
        pd: cluster-pd { #power-domain-cells = <0>; domain-idle-states = <&off>; };
    };
};
"""


@pytest.fixture
def tree(tmp_path: Path) -> str:
    (tmp_path / "board.dts").write_text(TREE)
    return str(tmp_path / "board.dts")


def test_command(tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["select", tree, "--governor", "menu", "--latency-limit", "500"]
    assert main([*words, "--kernel", "6.1.146", "--kernel", "6.1.147"]) == 1
    out = capsys.readouterr().out
    assert "nothing changes but what power domains enter" in out
    before, after = out.split("cluster-pd, cluster of 1 CPU under Linux ")[1:]
    assert "limit 500 us, which this kernel ignores for power domains\n" in before
    assert "0 to 2499 us  stays on\n    2500 us and more  cluster-off\n" in before
    assert "    0 us and more  stays on\n" in after
    assert "firmware is assumed to offer OS-initiated mode" in after


def test_document(tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["select", tree, "--governor", "menu", "--format", "json"]
    assert main([*words, "--kernel", "5.18.1", "--kernel", "6.1"]) == 1
    document = json.loads(capsys.readouterr().out)
    (each,) = document["domains"]
    assert (each["name"], each["level"], each["cpus"]) == ("cluster-pd", "cluster", ["cpu@0"])
    assert [row["state"] for row in each["maps"][0]["ranges"]] == ["cluster-off"]
    (other,) = document["domain_changes"]
    assert [row["state"] for row in other["domains"][0]["maps"][0]["ranges"]] == [
        None,
        "cluster-off",
    ]
    assert any("OS-initiated" in note for note in document["assumptions"])


def test_diff_and_kernels(tree: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = tmp_path / "other.dts"
    other.write_text(TREE.replace("<2000>", "<3000>"))
    assert main(["diff", tree, str(other), "--kernel", "6.12", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["differences"]
    assert ("domains.cluster-pd.cluster-off", "0: 500000+400000/2000000 ns") in [
        (each["path"], each["a"]) for each in found
    ]
    main(["kernels", "5.18", "--table", tree, "--governor", "menu"])
    out = capsys.readouterr().out
    assert "domains.cluster-pd" in out
    assert "5.18.3" in out


def test_page(tree: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    main(["select", tree, "--governor", "menu", "--kernel", "6.12", "--html", str(page)])
    assert "cluster-pd, cluster of 1 CPU" in page.read_text()
    assert "2500 us and more  cluster-off" in page.read_text()
    capsys.readouterr()


def test_show(tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", tree, "--kernel", "6.12.40"])
    out = capsys.readouterr().out
    assert "cluster 0: 500+400/2000 us" in out
    assert "turns cluster-pd (cluster of cpu@0) off in a state that fits, of cluster-off" in out


@pytest.mark.parametrize("riscv", [False, True])
def test_platform_coordinated_mode(
    riscv: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arm's domains stay on in it; RISC-V has no such mode."""
    tree = written(board(riscv=riscv), tmp_path / "x.dtb")
    words = [tree, "--kernel", "6.12", "--platform", "psci-mode=pc"]
    main(["select", *words, "--governor", "menu"])
    assert ("never off: firmware offers no OS-initiated mode" in capsys.readouterr().out) != riscv
    main(["show", *words])
    shown = capsys.readouterr().out
    assert ("turns cluster-pd0 (cluster of cpu@0 and cpu@1) off" in shown) == riscv
    assert "firmware is assumed to offer OS-initiated mode" not in shown
    with pytest.raises(BadPlatform, match="expected osi or pc for psci-mode"):
        parse_platform("psci-mode=os")
