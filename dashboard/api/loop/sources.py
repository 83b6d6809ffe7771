"""What benchmarks are made from: judges, captured and imported conversations, training sets."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, F, QuerySet
from django.utils import timezone
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.fields import Choice, Id, Listed, Moment, Only, Rows, Strict, Text, Texts, Whole, Word
from dashboard.api.http.query import PageQuery
from dashboard.api.http.views import NEWEST_FIRST, LoopView, Write, get_row, list_page
from dashboard.api.loop.wire import sources as wire
from dashboard.store import judge
from dashboard.store.conversations.keep import delete_trace, digest_content, store_conversations
from dashboard.store.conversations.read import ROW_SCHEMA, Conversation, RowUnreadable, count_shapes, read_row
from dashboard.store.models import Dataset, Judge, Trace, new_id
from dashboard.store.pin import fix_decoding, fix_scoring, name_model
from dashboard.store.text.rules import TextRule

NOT_RUN = "this service runs no judge on its own"


class JudgeDimension(Strict):
    """What is scored, on its own."""

    key = Text(judge.KEY)
    description = Text(judge.DESCRIPTION, required=False, default="")


class NewJudge(Strict):
    """A rubric."""

    name = Text(judge.NAME)
    instructions = Text(judge.INSTRUCTIONS, help_text="What makes an answer good.")
    dimensions = Listed(
        JudgeDimension(),
        judge.MOST_DIMENSIONS,
        least=1,
        help_text="What is scored, each on its own; no key twice.",
    )
    model = Text(judge.MODEL, required=False, help_text="The model that judges, unless a benchmark names another.")
    system_prompt = Text(judge.SYSTEM_PROMPT, required=False)
    scale = Text(
        judge.SCALE,
        required=False,
        help_text='The lowest and the highest score, such as "1-5"; 0-1 when absent. Benchmarks freeze it.',
    )
    selection = Only({}, NOT_RUN)
    write_gold = Only(False, NOT_RUN)
    enabled = Only(True, NOT_RUN)
    auto = Only(False, NOT_RUN)


class NewConversations(Strict):
    """Rows to bring in, and what is said of all of them."""

    source = Text(help_text="What the conversations are filed under.")  # type: ignore[assignment]  # a key's name
    rows = Rows(5_000, ROW_SCHEMA, help_text="Each is read by its shape; one that is none is refused by its number.")
    model = Text(required=False, help_text="For rows that name none.")
    labels = Listed(Text(), 50, required=False, help_text="Kept in the metadata.")
    attributes = Texts(required=False, help_text="Kept in the metadata.")
    import_id = Text(TextRule(most=100), required=False, help_text="Makes a second call with the same rows a retry.")
    row_offset = Whole(0, required=False, default=0, help_text="The first row's place in its file.")
    row_ids = Listed(
        Id(200),
        5_000,
        required=False,
        help_text="The identity of each row, in place of its text and its place.",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        ids = given["row_ids"]
        if ids is not None and (len(ids) != len(given["rows"]) or len(set(ids)) < len(ids)):
            raise ValidationError({"row_ids": "must hold one id for each row, and none twice"})
        return given


class TraceQuery(PageQuery):
    q = Word(help_text="Only conversations with this text in a turn, whatever its case.")
    deployment_id = Word(help_text="Only conversations filed under this source.")
    model = Word(help_text="Only conversations that this model answered.")
    to = Moment(required=False, help_text="Captured before this time.")

    def get_fields(self) -> dict[str, Any]:
        """Those above, and `from`, which is no name that a class can give."""
        return super().get_fields() | {"from": Moment(required=False, help_text="Captured at this time or later.")}


class DatasetQuery(PageQuery):
    method = Choice(("sft", "dpo", "kto"), required=False, help_text="Only training sets for this method.")


class JudgeList(LoopView):
    answer = wire.JudgeList
    writes = {"POST": Write(action="create", kind="judge", answer=wire.JudgeAnswer, status=201, body=NewJudge())}

    def get(self, request: Request) -> Response:
        """Every judge of the workspace, newest first."""
        self.read_query()
        rows = Judge.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        return Response(wire.JudgeList([_describe(row) for row in rows]))

    def post(self, request: Request) -> Response:
        """Write a rubric. Benchmarks copy it, so it is never changed under them."""
        body = self.read_body()
        draft = judge.Draft(
            name=body["name"],
            instructions=body["instructions"],
            dimensions=[(dimension["key"], dimension["description"]) for dimension in body["dimensions"]],
            model=body["model"],
            system_prompt=body["system_prompt"],
            scale=body["scale"],
        )
        row = judge.create_judge(self.caller.ensure_workspace(), draft)
        self.note(target_id=row.pk, target_name=row.name)
        return Response(wire.JudgeAnswer(_describe(row)), 201)


class TraceList(LoopView):
    query = TraceQuery()
    answer = wire.TracePage

    def get(self, request: Request) -> Response:
        """Captured conversations, newest first."""
        query = self.read_query()
        limit, offset = query.pop("limit"), query.pop("offset")
        columns = {
            "q": "search_text__contains",
            "deployment_id": "source",
            "model": "model",
            "from": "created_at__gte",
            "to": "created_at__lt",
        }
        query["q"] = query["q"] and query["q"].casefold()
        asked = {columns[name]: value for name, value in query.items() if value is not None}
        page, total = list_page(select_traces(self.workspace_id).filter(**asked), limit, offset)
        traces = [wire.Trace.of(row) for row in page]
        return Response(wire.TracePage(traces=traces, total=total, limit=limit, offset=offset))


class TraceDetail(LoopView):
    answer = wire.TraceAnswer
    writes = {"DELETE": Write(action="delete", kind="conversation", answer=wire.TraceDeleted)}

    def get(self, request: Request, trace_id: str) -> Response:
        """One captured conversation."""
        self.read_query()
        row = get_row(select_traces(self.workspace_id), trace_id, "conversation")
        return Response(wire.TraceAnswer(wire.Trace.of(row)))

    def delete(self, request: Request, trace_id: str) -> Response:
        """Delete a conversation. Pins keep their copy and lose the link; training sets lose the row."""
        self.read_body()
        delete_trace(self.workspace_id, trace_id)
        return Response(wire.TraceDeleted(trace_id))


class ConversationImport(LoopView):
    writes = {
        "POST": Write(
            action="import",
            kind="conversations",
            answer=wire.Imported,
            body=NewConversations(),
            most_bytes=32 * 2**20,
        )
    }

    def post(self, request: Request) -> Response:
        """Bring conversations in. A row that is none is refused by its number; the others are stored."""
        body = self.read_body()
        row_ids = body["row_ids"]
        import_id = body["import_id"] or new_id("imp")
        read: list[tuple[str, Conversation]] = []
        refused = []
        for n, row in enumerate(body["rows"]):
            try:
                conversation = read_row(row)
            except RowUnreadable as error:
                refused.append(f"row {n + 1}: {error}")
                continue
            place = f"{import_id}#{body['row_offset'] + n}#{digest_content(conversation)[:40]}"
            read.append((row_ids[n] if row_ids else place, conversation))
        extra = {name: body[name] for name in ("labels", "attributes") if body[name]}
        workspace_id = self.caller.ensure_workspace().pk
        stored = store_conversations(
            workspace_id, body["source"], read, timezone.now(), model=body["model"] or "", extra=extra
        )
        self.note(target_id=import_id, message=f"{len(stored.created)} imported, {len(refused)} refused")
        shapes = count_shapes([read[n][1] for n in stored.created])
        verdicts = shapes.get("preference", 0) + shapes.get("thumbs", 0)
        note = f"{verdicts} rows came with a verdict: it is kept in the metadata, and not recorded as a review."
        return Response(
            wire.Imported(
                import_id=import_id,
                imported=len(stored.created),
                trace_ids=list(stored.created.values()),
                already_present=len(stored.present) + len(stored.conflicts),
                refused=len(refused),
                refused_why=refused,
                by_shape=shapes,
                notes=[note] if verdicts else [],
                needs_review=len(stored.created),
            )
        )


class DatasetList(LoopView):
    query = DatasetQuery()
    answer = wire.DatasetPage

    def get(self, request: Request) -> Response:
        """Training sets, newest first."""
        query = self.read_query()
        rows = Dataset.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        if query["method"] is not None:
            rows = rows.filter(method=query["method"])
        limit, offset = query["limit"], query["offset"]
        page, total = list_page(rows.annotate(item_count=Count("items")), limit, offset)
        datasets = [wire.Dataset.of(row) for row in page]
        return Response(wire.DatasetPage(datasets=datasets, total=total, limit=limit, offset=offset))


def _describe(row: Judge) -> wire.Judge:
    row.freezes = {  # type: ignore[attr-defined]  # the wire's own
        "judge_model": name_model(row),
        "decoding": fix_decoding(),
        "scoring": fix_scoring(row),
    }
    return wire.Judge.of(row)


def select_traces(workspace_id: str) -> QuerySet[Trace]:
    """The workspace's conversations, newest first, under the wire's name for their source."""
    rows = Trace.objects.filter(workspace_id=workspace_id).order_by(*NEWEST_FIRST)
    return rows.annotate(deployment_id=F("source"))
