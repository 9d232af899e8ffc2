"""A kernel's features for a processor that no packaged spec has: its own spec says since when."""

from ...base.dataclass import replace
from ...base.model.processors import Known
from ...base.model.table import Cpu
from ..spec import registry
from .driver_features import DriverFeatures
from .releases import Release, version_key


def first_of_spec(cpu: Cpu) -> Known | None:
    """The first release whose stop driver accepts the CPU's PVR, as a spec beside the packaged ones
    says; None where it says none, or a packaged spec has the PVR."""
    version = cpu.processor.version(cpu.pvr)
    return version.linux if version and not registry.of_pvr(cpu.pvr) else None


def features_for(cpu: Cpu | None, release: Release) -> DriverFeatures:
    """The features of a release, with the CPU's PVR among those that it accepts if its spec says
    so."""
    features = release.features
    if features.pvrs is None or cpu is None or (first := first_of_spec(cpu)) is None:
        return features
    if first.release and _point(version_key(first.release)) > _point(release.version):
        return features
    return replace(features, pvrs=(*features.pvrs, cpu.pvr))


def first_driver(cpu: Cpu) -> str:
    """The end of a message that a kernel has no driver: the release from which one has it, by the
    spec."""
    first = first_of_spec(cpu)
    return f"; by its spec, Linux {first.release} is the first with one" if first else ""


def _point(key: tuple[int, ...]) -> tuple[int, ...]:
    """6.6 and 6.6.0 alike."""
    return (*key, 0)[:3]
