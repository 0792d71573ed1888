"""What a cell puts out, caught in order and up to its limits: prints, displays, figures, the value of its last line."""

import base64
import io


class Tape:
    """What one cell puts out, in order and up to its limits."""

    def __init__(self, limits: dict):
        self.room, self.images, self.image = limits["text"], limits["images"], limits["image"]
        self.items = 200  # outputs kept, whatever their size
        self.outputs: list[dict] = []
        self.dropped = 0
        self.cut = False

    def text(self, name: str, text: str) -> None:
        kept = text[: self.room]
        self.room -= len(kept)
        self.dropped += len(text) - len(kept)
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == name:
            last["parts"].append(kept)
        elif kept and len(self.outputs) < self.items:
            self.outputs.append({"kind": "stream", "name": name, "parts": [kept]})
        self.cut |= len(kept) < len(text) or len(self.outputs) == self.items

    def show(self, kind: str, data: dict) -> None:
        kept = {}
        for mime, value in dict(data).items():
            if mime in ("image/png", "image/jpeg", "image/svg+xml"):
                value = base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)
                if self.images > 0 and len(value) <= 1.4 * self.image:
                    kept[mime] = value
                else:
                    self.cut = True
            elif mime == "text/plain":
                kept[mime] = str(value)[: self.room]
                self.dropped += len(str(value)) - len(kept[mime])
        self.images -= any(mime.startswith("image/") for mime in kept)
        self.room -= len(kept.get("text/plain", ""))
        if any(kept.values()) and len(self.outputs) < self.items:
            self.outputs.append({"kind": kind, "data": kept})

    def finish(self) -> list[dict]:
        self.cut |= self.dropped > 0
        if self.dropped:
            parts = [f"\n... {self.dropped} more characters left out\n"]
            self.outputs.append({"kind": "stream", "name": "stdout", "parts": parts})
        for output in self.outputs:
            if "parts" in output:
                output["text"] = "".join(output.pop("parts"))
        return self.outputs


class Stream(io.TextIOBase):
    """Standard output or error of the cell that runs."""

    encoding = "utf-8"

    def __init__(self, tape: Tape, name: str):
        self.tape, self.stream = tape, name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.tape.text(self.stream, str(text))
        return len(text)


class Results:
    """Shows the value of a cell's last expression, in place of the terminal's Out[1]."""

    tape: Tape | None = None

    def __init__(self, shell):
        self.shell = shell

    def __call__(self, value=None) -> None:
        if value is not None and self.tape is not None:
            data, _ = self.shell.display_formatter.format(value)
            self.tape.show("execute_result", data)


class Display:
    """Takes what `display` and figures publish."""

    def __init__(self, tape: Tape):
        self.tape = tape
        self.is_publishing = False

    def publish(self, data, *args, **kwargs) -> None:
        self.tape.show("display_data", data)

    def clear_output(self, wait=False) -> None:
        pass
