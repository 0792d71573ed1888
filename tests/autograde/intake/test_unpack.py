"""Unpacking: everything is counted as it is inflated, whatever an archive says of itself."""

import errno
import gzip
import io
import shutil
import struct
import tarfile
import time
import zipfile

import pytest

from autograde.intake import unpack
from autograde.intake.unpack import Budget, Damaged, TooMuch

MB = 1 << 20


def unpacked(path, budget):
    """The members of an archive, read in this process."""
    with path.open("rb") as file:
        yield from unpack.unpack(file, budget)


def zipped(path, files, how=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tarred(path, files, how="w:gz"):
    with tarfile.open(path, how) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def read(path, room=64 * MB, members=100):
    """Name -> content, or why it was refused."""
    budget = Budget(room, members)
    return {m.name: m.refused or b"".join(m.chunks) for m in unpacked(path, budget)}


MAKE = {"x.zip": zipped, "x.tar.gz": tarred, "x.tar": lambda path, files: tarred(path, files, "w")}


@pytest.mark.parametrize("name", MAKE)
def test_what_is_in_it_comes_out(tmp_path, name):
    files = {"a.ipynb": b"1" * 1000, "b/c.csv": bytes(2 * MB), "b/empty": b"", "b/whole": b"x" * 512}
    path = MAKE[name](tmp_path / name, files)
    assert read(path) == files
    assert [member.name for member in unpacked(path, Budget(64 * MB, 9))] == list(files)  # and nothing read


@pytest.mark.parametrize("name", MAKE)
def test_a_budget_ends_in_the_middle_over_all_members_together(tmp_path, name):
    path, seen = MAKE[name](tmp_path / name, {f"{i}": bytes(MB) for i in range(10)}), 0
    with pytest.raises(TooMuch, match="more than 3 MB"):
        for member in unpacked(path, Budget(3 * MB, 100)):
            for block in member.chunks:
                seen += len(block)
    assert seen <= 3 * MB
    with pytest.raises(TooMuch, match="more than 9 files"):
        read(path, members=9)


def test_a_budget_is_shared_with_the_archives_inside(tmp_path):
    inner = zipped(tmp_path / "i.zip", {"x": bytes(2 * MB)})
    outer = zipped(tmp_path / "o.zip", {f"{i}.zip": inner.read_bytes() for i in range(9)})
    budget, met = Budget(7 * MB, 100), 0
    with pytest.raises(TooMuch):
        for number, member in enumerate(unpacked(outer, budget)):
            kept = tmp_path / str(number)
            unpack.write(member.chunks, kept, MB)
            met += sum(unpack.write(m.chunks, tmp_path / f"{number}x", 9 * MB) for m in unpacked(kept, budget))
    assert met == 6 * MB


@pytest.mark.parametrize("said", [10, 1 << 31, (1 << 32) - 2])
def test_a_zips_sizes_are_not_believed(tmp_path, said):
    path = zipped(tmp_path / "x.zip", {"a": bytes(5 * MB)})
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 22, said)  # the size of its content, beside the content and in the directory
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, said)
    path.write_bytes(data)
    if said < 5 * MB:
        with pytest.raises(Damaged):
            read(path)
    else:
        assert read(path) == {"a": bytes(5 * MB)}
        with pytest.raises(TooMuch):
            read(path, room=MB)


def test_members_that_share_their_bytes_are_each_counted(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a": bytes(4 * MB)})
    data = path.read_bytes()
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    directory = data[start:end] * 50
    tail = bytearray(data[end:])
    struct.pack_into("<HHI", tail, 8, 50, 50, len(directory))
    path.write_bytes(data[:start] + directory + tail)
    with pytest.raises((TooMuch, Damaged)):
        for member in unpacked(path, Budget(10 * MB, 100)):
            for _ in member.chunks:
                pass


def sparse(size):
    """A tar with one member of 512 bytes that says it is a sparse file of `size` bytes."""
    member = tarfile.TarInfo("a.ipynb")
    member.type, member.size = tarfile.GNUTYPE_SPARSE, 512
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"00000000000\0" + b"00000001000\0"  # one run: at 0, of 512 bytes
    header[483:495] = b"\x80" + size.to_bytes(11, "big")  # its real size
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    return bytes(header) + b"x" * 512 + bytes(1024)


def test_the_holes_of_a_sparse_tar_are_counted(tmp_path):
    (tmp_path / "x.tar").write_bytes(sparse(2 * MB))
    assert len(read(tmp_path / "x.tar")["a.ipynb"]) == 2 * MB
    (tmp_path / "x.tar").write_bytes(sparse(1 << 50))
    with pytest.raises(TooMuch, match="more than 64 MB"):
        read(tmp_path / "x.tar")


def test_a_header_of_any_size_is_not_read(tmp_path):
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 1 << 32
    with gzip.open(tmp_path / "x.tgz", "wb") as file:
        file.write(member.tobuf(tarfile.GNU_FORMAT) + bytes(40 * MB))
    with pytest.raises(TooMuch, match="header"):
        read(tmp_path / "x.tgz", room=1 << 40)


def pax(*records, kind=tarfile.XHDTYPE):
    """A pax header of these bytes, one after the other, and a file behind it."""
    body = b"".join(records)
    head, file = tarfile.TarInfo("pax"), tarfile.TarInfo("02.ipynb")
    head.type, head.size, file.size = kind, len(body), 3
    parts = [head.tobuf(tarfile.USTAR_FORMAT), body, bytes(-len(body) % 512), file.tobuf(tarfile.USTAR_FORMAT)]
    return b"".join([*parts, b"now".ljust(512, b"\0"), bytes(1024)])


def record(text):
    return next(b"%d %s\n" % (n, text) for n in range(len(text), len(text) + 20) if len(b"%d %s\n" % (n, text)) == n)


PAX = {  # none of which anybody's archiver writes
    "digits": (b"1" * (MB - 600), None),
    "a comment of digits": (record(b"comment=" + b"1" * (MB - 600)), {"02.ipynb": b"now"}),
    "a path of digits": (record(b"path=" + b"1" * (MB - 600)), {"1" * 1000: "its name is too long"}),
    "lengths that lead into themselves": (b"2 " * (MB // 2 - 600), None),
    "one length for all": (b"%d a" % (MB - 600) + b"2 " * (MB // 2 - 600) + b"=\n", None),
    "no value": (b"4 a\n", None),
    "no digits": ("²³ a=b\n".encode(), None),
    "a million records": (b"6 a=b\n" * (MB // 6 - 100), {"02.ipynb": b"now"}),
    "a size of digits": (record(b"size=" + b"9" * 5000), None),
    "a sparse map": (
        record(b"GNU.sparse.major=1") + record(b"GNU.sparse.minor=0") + record(b"GNU.sparse.realsize=9"),
        {"02.ipynb": "a sparse file of a form that is not read"},
    ),
}


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE])
@pytest.mark.parametrize("name", PAX)
def test_a_header_takes_no_more_time_than_its_size(tmp_path, name, kind):
    header, expected = PAX[name]
    (tmp_path / "x.tar").write_bytes(pax(header, kind=kind))
    started = time.process_time()
    try:
        seen = read(tmp_path / "x.tar")
    except Damaged:
        seen = None
    assert time.process_time() - started < 2
    assert seen == expected or (name == "a size of digits" and "02.ipynb" in (seen or {}))


def test_what_counts_of_a_header_is_read(tmp_path):
    names = ["é" * 200 + "/02.ipynb", "x" * 500, "123/" * 60, "a=b\u2028" * 30]
    with tarfile.open(tmp_path / "x.tar", "w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "all"}) as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.pax_headers = 3, 1.5, {"comment": "1" * 99}
            archive.addfile(member, io.BytesIO(b"abc"))
    assert read(tmp_path / "x.tar") == dict.fromkeys([name.rstrip("/") for name in names], b"abc")


@pytest.mark.parametrize("name", MAKE)
def test_a_long_name_and_a_link_are_refused_and_the_rest_is_read(tmp_path, name):
    path = MAKE[name](tmp_path / name, {"a" * 5000: b"1", "b": b"2"})
    contents = read(path)
    assert contents.pop("b") == b"2" and set(contents.values()) == {"its name is too long"}
    assert all(len(name) <= unpack.MAX_NAME for name in contents)


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_inflates_without_bound_is_refused(tmp_path, how):
    assert "not read" in read(zipped(tmp_path / "x.zip", {"a": bytes(MB)}, how))["a"]


@pytest.mark.parametrize("name", MAKE)
def test_damaged_bytes_are_damaged_and_nothing_else(tmp_path, name):
    whole = MAKE[name](tmp_path / name, {f"{i}": bytes(range(256)) * 4 for i in range(3)}).read_bytes()
    seen = set()
    for at in range(0, len(whole), 11):
        (tmp_path / name).write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            for member in unpacked(tmp_path / name, Budget(MB, 9)):
                try:
                    list(member.chunks)
                    seen.add("read")
                except Damaged:
                    seen.add("damaged")
        except (Damaged, TooMuch):
            seen.add("refused")
    assert {"read", "refused"} <= seen


def test_what_could_not_be_written_whole_is_removed(tmp_path):
    with pytest.raises(TooMuch):
        unpack.write(iter([b"x" * 600] * 2), tmp_path / "a", 1000)

    def broken():
        yield b"1"
        raise Damaged("half")

    with pytest.raises(Damaged):
        unpack.write(broken(), tmp_path / "a", 1000)
    (tmp_path / "there").write_bytes(b"1")
    with pytest.raises(FileExistsError):
        unpack.write(iter([b"2"]), tmp_path / "there", 1000)
    assert [path.name for path in tmp_path.iterdir()] == ["there"] and (tmp_path / "there").read_bytes() == b"1"


def test_some_of_the_disk_stays_free(tmp_path, monkeypatch):
    left = [3 * unpack.FREE]

    def usage(path):
        left[0] -= unpack.FREE
        return shutil._ntuple_diskusage(left[0] * 9, 0, left[0])

    monkeypatch.setattr(unpack.shutil, "disk_usage", usage)
    monkeypatch.setattr(unpack, "_CHECKED", MB)
    with pytest.raises(OSError, match="are left on this disk") as refused:
        unpack.write(iter([bytes(MB)] * 9), tmp_path / "a", 99 * MB)
    assert refused.value.errno == errno.ENOSPC and refused.value.filename == str(tmp_path / "a")
    assert not list(tmp_path.iterdir())
