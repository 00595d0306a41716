#!/usr/bin/env python3
"""What the program is made of, as a CycloneDX document: crates that are linked in, and packages that the dashboard is
built from. The same lock files give the same document.

    python3 tools/sbom.py              print it
    python3 tools/sbom.py --self-test  check that nothing is left out
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def crates():
    """The program's own package and everything it is linked with; what only builds or tests it stays out."""
    run = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host()]
    metadata = json.loads(subprocess.run(run, cwd=ROOT, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    own = next(package for package in packages.values() if package["name"] == "symbolon")
    found, waiting = {}, [own["id"]]
    while waiting:
        at = waiting.pop()
        if at in found:
            continue
        linked = [dep["pkg"] for dep in nodes[at]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        found[at] = linked
        waiting += linked
    return own, {id: packages[id] for id in found}, found


def host():
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return next(line.split(": ")[1] for line in said.splitlines() if line.startswith("host: "))


def crate_reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def crate_component(package):
    component = {
        "type": "library",
        "bom-ref": crate_reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": crate_reference(package),
    }
    if package.get("license"):
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return component


def web_components():
    """The dashboard is bundled, so whatever its build takes may be in it."""
    lock = json.loads((ROOT / "ui/package-lock.json").read_text())
    components = {}
    for path, package in lock["packages"].items():
        if not path:
            continue
        name = path.rsplit("node_modules/", 1)[1]
        purl = f"pkg:npm/{name.replace('@', '%40')}@{package['version']}"
        component = {"type": "library", "bom-ref": purl, "name": name, "version": package["version"], "purl": purl}
        if isinstance(package.get("license"), str):
            component["licenses"] = [{"expression": package["license"]}]
        components[purl] = component
    return components


def document():
    own, packages, linked = crates()
    components = {crate_reference(package): crate_component(package) for package in packages.values()}
    components.pop(crate_reference(own))
    web = web_components()
    components.update(web)
    dependencies = [
        {"ref": crate_reference(packages[id]), "dependsOn": sorted(crate_reference(packages[dep]) for dep in set(deps))}
        for id, deps in linked.items()
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": crate_reference(own),
                "name": "symbolon",
                "version": f"v{own['version']}",
                "licenses": [{"expression": own["license"]}],
            }
        },
        "components": [components[key] for key in sorted(components)],
        "dependencies": sorted(dependencies, key=lambda one: one["ref"]),
    }


def self_test():
    made = document()
    names = {component["name"] for component in made["components"]}
    for expected in ["rusqlite", "tokio-postgres", "axum", "domain", "svelte"]:
        assert expected in names, f"{expected} is missing"
    for unexpected in ["proptest", "insta", "testkit"]:
        assert unexpected not in names, f"{unexpected} is no part of the program"
    references = {component["bom-ref"] for component in made["components"]}
    references.add(made["metadata"]["component"]["bom-ref"])
    for entry in made["dependencies"]:
        missing = {entry["ref"], *entry["dependsOn"]} - references
        assert not missing, f"nobody says what {missing} is"
    for component in made["components"]:
        assert component["version"] and component["purl"], component


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        self_test()
    else:
        json.dump(document(), sys.stdout, indent=1, sort_keys=True)
        print()
