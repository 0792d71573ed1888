"""The tables of nbgrader's gradebook as a whole: from one database into another, and whether two hold the same.

By nbgrader's own table definitions, so that every database which it can use is read and written alike; what else a
person keeps in that database is not looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

from nbgrader.api import Base
from sqlalchemy import Column, Connection, MetaData, String, Table, create_engine, inspect, select
from sqlalchemy.exc import SQLAlchemyError

_VERSION = Table("alembic_version", MetaData(), Column("version_num", String(32), nullable=False))  # of the tables
_AT_ONCE = 1000  # rows that are written together
_BEFORE = 30  # seconds in which a database must answer


class TablesError(RuntimeError):
    """A database that does not answer, or cannot take the tables: why."""


def copy(of: str, to: str) -> dict[str, str]:
    """Writes all of a gradebook into an empty database, in one transaction, and reads it again; the digest of each
    table. Raises TablesError, and nothing is written, where one of them fails, something is in the second, or it holds
    something else in the end."""
    with _connected(of) as source, _connected(to) as target:
        if already := inspect(target).get_table_names():
            raise TablesError(f"the database is not empty: it has the table {already[0]}")
        for table in _tables(source):
            table.create(target)
            rows = source.execute(select(table)).mappings()
            for part in rows.partitions(_AT_ONCE):
                target.execute(table.insert(), [dict(row) for row in part])
        digests = _digests(source)
        if _digests(target) != digests:
            raise TablesError("what was written is not what was read")
        return digests


def digests(url: str) -> dict[str, str]:
    """Table -> a digest of its rows, whatever their order. Raises TablesError."""
    with _connected(url) as connection:
        return _digests(connection)


@contextlib.contextmanager
def _connected(url: str) -> Iterator[Connection]:
    """A transaction in which every question is answered from one moment, committed where all went well."""
    postgresql = url.startswith("postgresql")
    words = {"connect_timeout": _BEFORE} if postgresql else {}
    try:
        engine = create_engine(
            url, connect_args=words, **({"isolation_level": "REPEATABLE READ"} if postgresql else {})
        )
    except (SQLAlchemyError, ImportError) as error:  # no such kind of database, or nothing here that speaks with it
        raise TablesError(str(error).splitlines()[0]) from None
    try:
        with engine.begin() as connection:
            yield connection
    except SQLAlchemyError as error:
        reasons = str(getattr(error, "orig", None) or error).strip().splitlines() or ["no answer"]
        raise TablesError(reasons[0]) from None
    finally:
        engine.dispose()


def _tables(connection: Connection) -> list[Table]:
    """Those of nbgrader's that are there, each after those that it refers to."""
    names = set(inspect(connection).get_table_names())
    return [table for table in (*Base.metadata.sorted_tables, _VERSION) if table.name in names]


def _digests(connection: Connection) -> dict[str, str]:
    digest_of = {}
    for table in _tables(connection):
        rows = sorted(repr(tuple(row)) for row in connection.execute(select(table)))
        digest_of[table.name] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return digest_of
