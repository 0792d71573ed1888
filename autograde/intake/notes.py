"""What is noted while a submission is read and merged: sentences for the student, and the same for the instructor."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Notes:
    student: list[str] = field(default_factory=list)
    instructor: list[str] = field(default_factory=list)

    def add(self, student: str, instructor: str) -> None:
        """One sentence for each side; the student reads the same one once, however often it applies."""
        if student not in self.student:
            self.student.append(student)
            self.instructor.append(instructor)
            return
        at = self.student.index(student)
        if instructor not in self.instructor[at] and len(self.instructor[at]) < 500:
            self.instructor[at] += f"; {instructor}"
