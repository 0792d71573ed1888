"""The key that everything random in a check follows from; `course.checks.engine.draw` draws.

It stands apart from what draws, and imports no PyTorch: commands that keep a key or name it start without.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Key:
    """What numbers are drawn from. Its secret stands in no text that is made of it, such as a log's."""

    secret: bytes = field(repr=False)

    @classmethod
    def fresh(cls) -> Key:
        """A key that nobody can know."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def public(cls, name: str | int) -> Key:
        """The key of a name, the same for everybody: for recorded tables, tests and tools, and never for grades."""
        return cls(f"public {name}".encode())

    @property
    def digest(self) -> str:
        """What names the key without giving it away: SHA-256, 64 hexadecimal digits."""
        return hashlib.sha256(self.secret).hexdigest()

    def derive(self, *labels: str | int) -> bytes:
        """32 bytes of these labels. From them follow neither the key nor what other labels give."""
        return hmac.digest(self.secret, repr(labels).encode(), "sha256")


RECORDED_KEY = Key.public("recorded tables")
