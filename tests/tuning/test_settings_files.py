"""The files that set what was chosen, and how to undo them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from settings_samples import NOTHING, study_of

from hockney.base.errors import UsageError
from hockney.show.tuning.settings_lines import settings_json, settings_lines
from hockney.tuning.settings import (
    Setting,
    already_set,
    own_name,
    variants_of,
)
from hockney.tuning.settings_files import deployed, files_of, modules_of, write


def test_what_is_set_already_is_named_compared_with_and_restored() -> None:
    """A variable of the environment goes before a parameter file, and a file before the library's
    own value."""
    x, y, z = (Setting(f"OMPI_MCA_{name}", name, "4096") for name in "xyz")
    files = {"~/a.conf": {"OMPI_MCA_x": "1", "OMPI_MCA_y": "2"}, "b.conf": {"OMPI_MCA_y": "3"}}
    already = already_set([x, x, y, z], {"OMPI_MCA_x": "512"}, files)
    assert [(preset.setting.name, preset.file) for preset in already] == [
        ("x=512", None),
        ("y=2", "~/a.conf"),
    ]
    [over, *_] = already_set([x], {"OMPI_MCA_x": "512"}, files, {"~/a.conf"})
    assert (over.setting.value, over.file) == ("1", "~/a.conf")
    assert "~/a.conf sets x=1 and overrides the environment" in over.sentence
    secret = already_set([x], {"OMPI_MCA_x": "http://me:hunter2@host"}, {})
    assert own_name(secret) == "yours: x=***"
    first, *_ = variants_of([(x,)], already)
    assert first.name == "yours: x=512, y=2"
    assert variants_of([(x,)])[0].name == "default"
    sentence = "your environment sets OMPI_MCA_x to 512: that is what is compared with"
    texts = files_of({"OMPI_MCA_x": "4096", "OMPI_MCA_z": "1"}, [], already)
    assert "to undo: unset OMPI_MCA_z; export OMPI_MCA_x=512" in texts[""]
    assert all(sentence in text for text in texts.values())
    assert not any("a.conf" in text for text in texts.values()), "y is not chosen"
    study = study_of({"a=1": NOTHING})
    assert sentence in "\n".join(settings_lines(study, None, "", 1.1, [], already))
    presets = settings_json([study], None, [], "", 1.1, [], [], already)["already_set"]
    assert presets[1] == {"variable": "OMPI_MCA_y", "value": "2", "file": "~/a.conf"}


@pytest.mark.parametrize(
    ("name", "secret"), [("UCX_AUTH_KEY", "a 'b' $c"), ("UCX_TLS", "a\necho b")]
)
def test_a_value_that_cannot_be_written_is_restored(name: str, secret: str, tmp_path: Path) -> None:
    """Undoing it once exported the *** that stands for it; and a second line left the comment."""
    already = already_set([Setting(name, None, "new")], {name: secret}, {})
    text = files_of({name: "new"}, [], already)[""]
    assert secret not in text
    undo = re.search(r"to undo: (.*)", text)
    assert undo is not None
    (tmp_path / "settings").write_text(text)
    source = f". {tmp_path / 'settings'}; "
    # Also where it is read twice.
    script = f'set -u; {source * 2}echo "${name}"; {undo[1]}; echo -n "${name}"'
    done = subprocess.run(["sh", "-c", script], env={name: secret}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"new\n{secret}", "")


def test_a_value_of_the_environment_is_restored_also_where_a_file_overrides_it() -> None:
    x = Setting("OMPI_MCA_x", "x", "4096")
    files = {"o.conf": {"OMPI_MCA_x": "1"}}
    already = already_set([x], {"OMPI_MCA_x": "512"}, files, {"o.conf"})
    assert "to undo: export OMPI_MCA_x=512" in files_of({"OMPI_MCA_x": "4096"}, [], already)[""]


def test_files_of_the_libraries_and_how_to_undo_them() -> None:
    files = files_of(
        {"OMPI_MCA_btl": "sm,self", "MPIR_CVAR_X": "2", "UCX_TLS": "sm", "FI_Y": "a b"}
    )
    assert "unset OMPI_MCA_btl MPIR_CVAR_X UCX_TLS FI_Y" in files[""]
    assert "export FI_Y='a b'" in files[""]
    assert files[".mca-params.conf"].splitlines()[1:] == ["btl = sm,self"]
    assert files[".mpich.conf"].splitlines()[1:] == ["MPIR_CVAR_X=2"]
    assert files[".ucx.conf"].splitlines()[1:] == ["UCX_TLS=sm"]


def test_modules_set_what_they_undo() -> None:
    modules = modules_of({"OMPI_MCA_coll": "^han,hcoll", "X": 'a "b" $c'})
    assert 'setenv("OMPI_MCA_coll", "^han,hcoll")' in modules[".lua"]
    assert r'setenv("X", "a \034b\034 $c")' in modules[".lua"]
    assert modules[".tcl"].startswith("#%Module1.0\n")
    assert r"setenv X a\ \"b\"\ \$c" in modules[".tcl"]
    beside = deployed({"OMPI_MCA_coll": "^han"})
    assert set(beside) == {".sh", ".mca-params.conf", ".lua", ".tcl"}


def test_modules_of_strange_paths_set_these_and_run_nothing(tmp_path: Path) -> None:
    strange = "/caf\udce9/é/}; exec id; #\n\\"
    modules = modules_of({"RULES": strange})
    [lua] = [line for line in modules[".lua"].splitlines() if line.startswith("setenv")]
    assert lua == r'setenv("RULES", "/caf\233/\195\169/}; exec id; #\010\092")'
    [tcl] = [line for line in modules[".tcl"].splitlines() if line.startswith("setenv")]
    assert tcl == "setenv RULES /caf\udce9/é/\\}\\;\\ exec\\ id\\;\\ \\#\\012\\\\"
    files = write(tmp_path / "rules", modules, force=False)
    assert b"/caf\xe9/" in files[-1].read_bytes()
    with pytest.raises(UsageError, match="exists"):
        write(tmp_path / "rules", modules, force=False)


def test_a_link_that_lies_in_wait_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "rules.lua").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="exists"):
        write(tmp_path / "rules", modules_of({"X": "1"}), force=False)
    assert not (tmp_path / "elsewhere").exists()
