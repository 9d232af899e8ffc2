"""The kernels that are built for guests: what they are told to be called, and what is refused."""

import gzip
from pathlib import Path

import pytest

from idle_states.change.boot.virt.machines import VIRT
from idle_states.tables.linux.releases import running
from tools import guest_kernel
from tools.guest_kernel import ARCHITECTURES, KERNELS, BuildFailed, version_of

CHANGES = """\
linux (7.3.4-1~bpo13+1) trixie-backports; urgency=medium

  * Rebuild for trixie-backports.

 -- A Maintainer <a@example.org>  Sun, 15 Nov 2026 23:30:00 -0100

linux (7.3.4-1) unstable; urgency=medium

 -- A Maintainer <a@example.org>  Thu, 12 Nov 2026 10:00:00 +0100
"""


def test_a_kernel_names_the_version_of_its_source(tmp_path: Path) -> None:
    log = tmp_path / "changelog.Debian.gz"
    log.write_bytes(gzip.compress(CHANGES.encode()))
    variables = version_of(log)
    build = variables["KBUILD_BUILD_VERSION_TIMESTAMP"]
    assert build == "Debian 7.3.4-1~bpo13+1 (2026-11-15)"
    assert variables["KBUILD_BUILD_TIMESTAMP"] == "2026-11-15"
    # so that the models take it for what it is
    known = running(f"7.3.4 #1 SMP PREEMPT {build} aarch64")
    assert known is not None
    assert (known.name, known.guessed) == ("debian-7.3.4", False)


def test_a_source_of_no_version_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "changelog.Debian.gz"
    log.write_bytes(gzip.compress(b"nothing\n"))
    with pytest.raises(BuildFailed, match="names no version"):
        version_of(log)


def test_every_kernel_is_of_a_machine_there_is() -> None:
    assert {machine for machine, _ in KERNELS} <= set(ARCHITECTURES) == set(VIRT)
    assert "CPU_IDLE_GOV_TEO" in guest_kernel.IDLE


@pytest.mark.parametrize("word", ["virt-arm64", "virt-sparc:trixie", ""])
def test_usage(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert guest_kernel.main([word]) == 2
    assert "expected virt-arm64 or virt-riscv64, and :SUITE" in capsys.readouterr().err
