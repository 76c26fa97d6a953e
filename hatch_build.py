"""Puts a bill of materials into the wheel, .dist-info/sboms/hockney.cdx.json (PEP 770, CycloneDX).

The wheel holds nobody else's code: its components are what pyproject.toml requires, in the versions
that it takes.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.requirements import Requirement

NAME = "hockney.cdx.json"


class BillOfMaterials(BuildHookInterface):  # type: ignore[misc, type-arg, unused-ignore]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        core = self.metadata.core
        components = [_component(Requirement(line), "required") for line in core.dependencies]
        known = {component["bom-ref"] for component in components}
        for lines in core.optional_dependencies.values():
            for requirement in map(Requirement, lines):
                component = _component(requirement, "optional")
                if component["bom-ref"] not in {*known, f"pkg:pypi/{core.name}"}:
                    known.add(component["bom-ref"])
                    components.append(component)
        bill = _bill(core.name, self.metadata.version, core.license_expression, components)
        path = Path(self.directory) / NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(bill, indent=1) + "\n")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        (Path(self.directory) / NAME).unlink(missing_ok=True)


def _component(requirement: Requirement, scope: str) -> dict[str, Any]:
    asked = str(requirement.specifier) + (f"; {requirement.marker}" if requirement.marker else "")
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{requirement.name}",
        "name": requirement.name,
        "scope": scope,
        "purl": f"pkg:pypi/{requirement.name}",
        "properties": [{"name": "hockney:versions", "value": asked}],
    }


def _bill(
    name: str, version: str, licence: str, components: list[dict[str, Any]]
) -> dict[str, Any]:
    """Without a time: the same sources make the same wheel."""
    ours = f"pkg:pypi/{name}@{version}"
    needed = [one["bom-ref"] for one in components if one["scope"] == "required"]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ours)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": name,
                "version": version,
                "purl": ours,
                "licenses": [{"expression": licence}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": ours, "dependsOn": needed},
            *({"ref": component["bom-ref"]} for component in components),
        ],
    }
