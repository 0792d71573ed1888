"""Platforms of one's own, on this machine: what `autograde push` uses of Canvas and Moodle, as strictly as documented.

A path, verb or parameter that the documentation does not have is noted in `amiss`, and refused. `fault` is asked at
each request, by its number, how it goes wrong.

- Canvas: developerdocs.instructure.com, "Assignments", "Submissions", "Submission Comments", "File Uploads",
  "Pagination", "Throttling", and app/controllers/submissions_api_controller.rb in its source.
- Moodle: mod/assign/externallib.php, webservice/upload.php, and save and is_feedback_modified of the plugins in
  mod/assign/feedback in its source.
"""

import json
import re
import socket
import threading
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

TOKEN = "7~sEcRetToKeN0123456789abcdef"
COURSE = "11"


class Refusal(Exception):
    """An answer with another status."""

    def __init__(self, status, body, **headers):
        self.status, self.body, self.headers = status, body, headers


class StandIn:
    """A server on this machine. `people` is what stands there, by the platform's numbers; `written` whose grades were
    written, one entry each time; `log` each request's verb and path, `body` the last one's body."""

    def __init__(self, people, tls=None):
        self.people, self.written, self.log, self.amiss, self.body = people, [], [], [], b""
        self.fault = lambda number: ""
        self.title, self.most = "An assignment", 9.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize, disable_nagle_algorithm = -1, True  # or else each answer waits 40 ms for the one before

            def answer(self):
                outer.handle(self)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.address = f"{'https' if tls else 'http'}://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.log.append((request.command, request.path))
        self.body = body
        how = self.fault(len(self.log))
        if how == "before":  # it never arrived
            self.cut(request)
        elif how in FAULTS:
            self.send(request, *FAULTS[how])
        else:
            self.do(request, body, how)

    def do(self, request, body, how):
        try:
            status, answer, headers = self.route(request, body)
        except Refusal as refusal:
            status, answer, headers = refusal.status, refusal.body, refusal.headers
        if how == "after":  # it was done, and nobody hears of it
            self.cut(request)
        elif how == "cut JSON" and not isinstance(answer, bytes):
            self.send(request, status, json.dumps(answer)[:-1].encode() or b"{", headers)
        else:
            self.send(request, status, answer, headers, whole=how != "half")

    def cut(self, request):
        request.close_connection = True
        request.connection.shutdown(socket.SHUT_RDWR)

    def send(self, request, status, body, headers=None, whole=True):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(data) + (0 if whole else 10)))
        request.end_headers()
        request.wfile.write(data)
        if not whole:
            request.wfile.flush()
            self.cut(request)

    def refuse(self, what, status=400, **body):
        self.amiss.append(what)
        raise Refusal(status, body or {"errors": [{"message": what}]})


FAULTS = {
    "500": (500, {"errors": [{"message": "An error occurred."}]}),
    "503": (503, b"<html>down for maintenance</html>"),
    **{str(status): (status, {"errors": [{"message": "No."}]}) for status in (400, 401, 403, 404, 409, 422)},
    "429": (429, {"status": "429"}, {"Retry-After": "0"}),
    "throttled": (403, b"403 Forbidden (Rate Limit Exceeded)", {"X-Rate-Limit-Remaining": "0.0"}),
    "html": (200, b"<html>Log in</html>", {"Content-Type": "text/html"}),
    "elsewhere": (302, b"", {"Location": "http://localhost:9/somewhere"}),
}


def multipart(request, body):
    """name -> text, or (file name, content)."""
    whole = b"Content-Type: " + request.headers["Content-Type"].encode() + b"\r\n\r\n" + body
    fields = {}
    for part in message_from_bytes(whole).get_payload():
        name = part.get_param("name", header="Content-Disposition")
        file = part.get_filename()
        content = part.get_payload(decode=True)
        fields[name] = (file, content) if file else content.decode()
    return fields


class Canvas(StandIn):
    """`people`: number -> {"score", "comments": [[file name, ...], ...], "excused"}."""

    def __init__(self, people, per_page=2, **more):
        super().__init__(people, **more)
        self.per_page, self.files, self.uploading, self.assignment = per_page, {}, {}, {}
        self.others = [
            {"id": 77, "name": "Homework", "points_possible": 5.0, "grading_type": "points", "published": True}
        ]

    def assignments(self):
        mine = {"id": 4321, "name": self.title, "points_possible": self.most, "grading_type": "points"}
        return [*self.others, mine | {"published": True} | self.assignment]

    def route(self, request, body):
        parts = urlsplit(request.path)
        query, way = parse_qsl(parts.query), (request.command, parts.path)
        if way == ("POST", "/upload"):
            return self.upload(request, body)
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Refusal(401, {"errors": [{"message": "Invalid access token."}]}, **{
                "WWW-Authenticate": 'Bearer realm="canvas-lms"'
            })  # fmt: skip
        form = parse_qsl(body.decode(), keep_blank_values=True)
        if way[0] == "GET" and (match := re.fullmatch(r"/api/v1/files/(\d+)/create_success", way[1])):
            return 200, self.file(int(match[1])), {}
        match = re.fullmatch(
            rf"/api/v1/courses/{COURSE}/assignments(?:/4321/submissions(?:/(\d+)(/comments/files)?)?)?", way[1]
        )
        if match is None:
            self.amiss.append(f"{way}")
            raise Refusal(404, {"errors": [{"message": "The specified resource does not exist."}]})
        if way[0] == "GET" and match[1] is None:
            self.only(query, "per_page", "page")
            rows = self.assignments() if way[1].endswith("assignments") else [self.shown(u) for u in self.people]
            return self.page(request, rows, dict(query))
        user = match[1]
        if user not in self.people:
            raise Refusal(404, {"errors": [{"message": "The specified resource does not exist."}]})
        if match[2] and way[0] == "POST":
            self.only(form, "name", "size", "content_type")
            number = 900 + len(self.files)
            self.files[number] = [dict(form)["name"], None]
            self.uploading[f"key-{number}"] = number
            return 200, {"upload_url": f"{self.address}/upload", "upload_params": {"key": f"key-{number}"}}, {}
        if not match[2] and way[0] == "GET":
            self.only(query, "include[]")
            return 200, self.shown(user, comments=("include[]", "submission_comments") in query), {}
        if not match[2] and way[0] == "PUT":
            return 200, self.update(user, form), {}
        return self.refuse(f"{way}")

    def only(self, given, *names):
        if more := [name for name, _ in given if name not in names]:
            self.refuse(f"parameters {more}")

    def page(self, request, rows, query):
        number, size = int(query.get("page", 1)), min(self.per_page, int(query.get("per_page", 10)))
        links = [f'<{self.address}{urlsplit(request.path).path}?page=1&per_page={size}>; rel="first"']
        if number * size < len(rows):
            links.append(f'<{self.address}{urlsplit(request.path).path}?page={number + 1}&per_page={size}>; rel="next"')
        return 200, rows[(number - 1) * size : number * size], {"Link": ",".join(links)}

    def shown(self, user, comments=False):
        one = self.people[user]
        row = {
            "id": 5000 + int(user),
            "user_id": int(user),
            "assignment_id": 4321,
            "excused": one.get("excused", False),
        }
        taken = one.get("deducted", 0)
        row |= {"score": None if one["score"] is None else one["score"] - taken, "entered_score": one["score"]}
        row |= {"points_deducted": taken or None}
        if comments:
            row["submission_comments"] = [
                {
                    "id": place,
                    "comment": "",
                    "attachments": [{"display_name": name, "filename": name} for name in names],
                }
                for place, names in enumerate(one["comments"])
            ]
        return row

    def upload(self, request, body):
        if "Authorization" in request.headers:
            self.refuse("a token in an upload")
        fields = multipart(request, body)
        number = self.uploading[fields["key"]]
        assert fields["file"][0] == self.files[number][0]
        self.files[number][1] = fields["file"][1]
        return 303, b"", {"Location": f"{self.address}/api/v1/files/{number}/create_success?uuid=1"}

    def file(self, number):
        return {"id": number, "display_name": self.files[number][0], "url": f"{self.address}/files/{number}/download"}

    def update(self, user, form):
        self.only(form, "submission[posted_grade]", "comment[file_ids][]", "prefer_points_over_scheme")
        given = dict(form)
        if "submission[posted_grade]" in given:
            self.written.append(user)
            self.people[user]["score"] = float(given["submission[posted_grade]"])
        if "comment[file_ids][]" in given:
            name, content = self.files[int(given["comment[file_ids][]"])]
            assert content is not None
            self.people[user]["comments"].append([name])
        return self.shown(user, comments=True)


class Moodle(StandIn):
    """`people`: number -> {"score", "files": {name: content}, "comment", "participant", "email"}; the assignment's
    settings in `assignment`, its feedback plugins in `plugins`."""

    PARAMETERS = {
        "mod_assign_get_assignments": r"courseids\[\d+\]",
        "mod_assign_list_participants": "assignid|groupid|filter|skip|limit|onlyids|includeenrolments",
        "mod_assign_get_user_mappings": r"assignmentids\[\d+\]",
        "mod_assign_get_user_flags": r"assignmentids\[\d+\]",
        "mod_assign_get_grades": r"assignmentids\[\d+\]|since",
        "mod_assign_get_submission_status": "assignid|userid|moodlewssettingraw",
        "mod_assign_save_grade": r"assignmentid|userid|grade|attemptnumber|addattempt|workflowstate|applytoall"
        r"|plugindata\[files_filemanager\]|plugindata\[assignfeedbackcomments_editor\]\[(text|format)\]",
    }  # fmt: skip

    def __init__(self, people, **more):
        super().__init__(people, **more)
        self.drafts, self.clock, self.plugins = {}, 1_700_000_000, ["comments", "file"]
        self.assignment, self.may, self.locked = {"markingworkflow": 0}, {"reveal": True}, set()
        self.changed = dict.fromkeys(people, self.clock)

    def route(self, request, body):
        if request.command != "POST":
            self.refuse(request.command)
        if request.path == "/webservice/upload.php":
            return self.upload(multipart(request, body))
        if request.path != "/webservice/rest/server.php":
            self.refuse(request.path, status=404)
        given = dict(parse_qsl(body.decode(), keep_blank_values=True))
        function, token, form = given.pop("wsfunction"), given.pop("wstoken"), given.pop("moodlewsrestformat")
        assert form == "json"
        if token != TOKEN:
            return 200, self.exception("moodle_exception", "invalidtoken", "Invalid token - token not found"), {}
        wrong = [name for name in given if not re.fullmatch(self.PARAMETERS.get(function, ""), name)]
        if wrong or function not in self.PARAMETERS:
            self.amiss.append(f"{function}: {wrong}")
            return 200, self.exception("invalid_parameter_exception", "invalidparameter", "Invalid parameter value"), {}
        return 200, getattr(self, function.removeprefix("mod_assign_"))(given), {}

    def exception(self, kind, code, message):
        return {"exception": kind, "errorcode": code, "message": message}

    def get_assignments(self, given):
        if given != {"courseids[0]": COURSE}:
            return {"courses": [], "warnings": [{"item": "course", "itemid": 1, "warningcode": "2", "message": "no"}]}
        configs = [
            {"id": n, "plugin": plugin, "subtype": "assignfeedback", "name": "enabled", "value": "1"}
            for n, plugin in enumerate(self.plugins)
        ]
        mine = {
            "id": 88,
            "cmid": 188,
            "course": int(COURSE),
            "name": self.title,
            "grade": self.most,
            "configs": configs,
        }
        return {"courses": [{"id": int(COURSE), "assignments": [mine | self.assignment]}], "warnings": []}

    def list_participants(self, given):
        skip, limit = int(given["skip"]), int(given["limit"])
        people = list(self.people.items())[skip : skip + limit]
        return [{"id": int(user), "fullname": f"P {user}", "email": one.get("email", "")} for user, one in people]

    def get_user_mappings(self, given):
        if not self.may["reveal"]:
            warning = {"item": "assignment", "itemid": 88, "warningcode": "1", "message": "No access rights"}
            return {"assignments": [], "warnings": [warning]}
        mappings = [{"id": int(one["participant"]), "userid": int(user)} for user, one in self.people.items()]
        return {"assignments": [{"assignmentid": 88, "mappings": mappings}], "warnings": []}

    def get_user_flags(self, given):
        flags = [{"id": 1, "userid": int(u), "workflowstate": one.get("state", "")} for u, one in self.people.items()]
        return {"assignments": [{"assignmentid": 88, "userflags": flags}], "warnings": []}

    def get_grades(self, given):
        rows = [
            {"id": 1, "userid": int(user), "attemptnumber": 0, "timecreated": 0, "timemodified": self.changed[user],
             "grader": 2, "grade": f"{one['score']:.5f}"}
            for user, one in self.people.items()
            if one["score"] is not None and self.changed[user] >= int(given["since"])
        ]  # fmt: skip
        if not rows:
            warning = {"item": "assignment", "itemid": 88, "warningcode": "3", "message": "No grades found"}
            return {"assignments": [], "warnings": [warning]}
        return {"assignments": [{"assignmentid": 88, "grades": rows}], "warnings": []}

    def get_submission_status(self, given):
        one = self.people[given["userid"]]
        hidden = self.assignment["markingworkflow"] and one.get("state") != "released"
        if one["score"] is None or hidden:
            return {"warnings": []}
        comments = {"type": "comments", "name": "Feedback comments", "fileareas": [{"area": "feedback", "files": []}]}
        field = {"text": one["comment"], "format": one.get("format", 1)}
        if given.get("moodlewssettingraw") != "1":  # external_format_text
            field = {
                "text": f"<div>{one['comment']}</div>" if one.get("format", 1) != 1 else one["comment"],
                "format": 1,
            }
        comments["editorfields"] = [{"name": "comments", "description": ""} | field]
        files = [
            {"filename": name, "filepath": "/", "filesize": len(content)} for name, content in one["files"].items()
        ]
        file = {"type": "file", "name": "Feedback files", "fileareas": [{"area": "feedback_files", "files": files}]}
        plugins = [each for each in (comments, file) if each["type"] in self.plugins]
        return {"feedback": {"gradefordisplay": "", "gradeddate": 1, "plugins": plugins}, "warnings": []}

    def save_grade(self, given):
        user, one = given["userid"], self.people[given["userid"]]
        assert given["attemptnumber"] == "-1" and given["addattempt"] == given["applytoall"] == "0"
        if user in self.locked:
            return
        self.written.append(user)
        self.clock += 1
        self.changed[user] = self.clock
        one["score"] = float(given["grade"])
        one["state"] = given["workflowstate"]
        if "comments" in self.plugins:  # assign_feedback_comments::is_feedback_modified and save
            one["comment"] = given.get("plugindata[assignfeedbackcomments_editor][text]")
            one["format"] = int(given.get("plugindata[assignfeedbackcomments_editor][format]", 1))
        if draft := given.get("plugindata[files_filemanager]"):
            one["files"] = dict(self.drafts[int(draft)])

    def upload(self, fields):
        if sorted(fields) != ["file", "filearea", "filepath", "itemid", "token"] or fields["filearea"] != "draft":
            self.amiss.append(f"upload {sorted(fields)}")
        if fields["token"] != TOKEN:
            return 200, {"error": "Invalid token", "errorcode": "invalidtoken"}, {}
        number = 300 + len(self.drafts)
        self.drafts[number] = {fields["file"][0]: fields["file"][1]}
        return 200, [{"component": "user", "filearea": "draft", "filename": fields["file"][0], "itemid": number}], {}
