"""What benchmarks are made from: judges, captured and imported conversations, training sets."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.api.http.body import Id, Listed, Nested, Only, Rows, Text, Texts, Whole
from dashboard.api.http.errors import Detail, build_refusal
from dashboard.api.http.query import Moment, Parameter, page_parameters
from dashboard.api.http.views import NEWEST_FIRST, LoopView, Write, get_row, list_page
from dashboard.api.loop.wire import sources as wire
from dashboard.store.conversations.keep import delete_trace, digest_content, store_conversations
from dashboard.store.conversations.read import ROW_SCHEMA, Conversation, RowUnreadable, count_shapes, read_row
from dashboard.store.models import Dataset, Judge, Trace, new_id

NOT_RUN = "this service runs no judge on its own"
CREATE_JUDGE = Write(
    answer=wire.JudgeAnswer,
    status=201,
    fields=(
        Text(name="name"),
        Text(name="instructions", description="What makes an answer good.", most=50_000, line=False),
        Listed(
            name="dimensions",
            description="What is scored, each on its own.",
            item=Nested(
                name="",
                fields=(
                    Text(name="key", most=80),
                    Text(name="description", required=False, default="", least=0, most=2_000, line=False),
                ),
            ),
            least=1,
            most=20,
        ),
        Text(name="model", description="The model that judges, unless a benchmark names another.", required=False),
        Text(name="system_prompt", required=False, least=0, most=50_000, line=False),
        Only(name="selection", value={}, why=NOT_RUN),
        Only(name="write_gold", value=False, why=NOT_RUN),
        Only(name="enabled", value=True, why=NOT_RUN),
        Only(name="auto", value=False, why=NOT_RUN),
    ),
)
IMPORT = Write(
    answer=wire.Imported,
    fields=(
        Text(name="source", description="What the conversations are filed under."),
        Rows(
            name="rows",
            description="Each is read by its shape. One that is no conversation is refused by its number.",
            most=5_000,
            row=ROW_SCHEMA,
        ),
        Text(name="model", description="For rows that name none.", required=False),
        Listed(name="labels", description="Kept in the metadata.", item=Text(name=""), most=50, required=False),
        Texts(name="attributes", description="Kept in the metadata."),
        Text(name="import_id", description="Makes a second call with the same rows a retry.", most=100, required=False),
        Whole(name="row_offset", description="The first row's place in its file.", least=0, required=False, default=0),
        Listed(
            name="row_ids",
            description="The identity of each row, in place of its text and its place.",
            item=Id(name="", most=200),
            most=5_000,
            required=False,
        ),
    ),
    most_bytes=32 * 2**20,
)


class JudgeList(LoopView):
    answer = wire.JudgeList
    writes = {"POST": CREATE_JUDGE}

    def get(self, request: Request) -> Response:
        """Every judge of the workspace, newest first."""
        self.read_query()
        rows = Judge.objects.filter(workspace_id=self.workspace_id).order_by(*NEWEST_FIRST)
        return Response(wire.JudgeList([wire.Judge.of(row) for row in rows]))

    def post(self, request: Request) -> Response:
        """Write a rubric. Benchmarks copy it, so it is never changed under them."""
        body = self.read_body()
        keys = [dimension["key"] for dimension in body["dimensions"]]
        for n, key in enumerate(keys):
            if key in keys[:n]:
                message = f"dimensions[{n}].key repeats {key!r}."
                raise build_refusal([Detail(f"dimensions[{n}].key", "INVALID_FIELD", message)], 400)
        columns = {name: body[name] for name in ("name", "instructions", "dimensions", "system_prompt")}
        with transaction.atomic():
            row = Judge(workspace=self.caller.ensure_workspace(), model=body["model"] or "", **columns)
            row.save(force_insert=True)
        return Response(wire.JudgeAnswer(wire.Judge.of(row)), 201)


class TraceList(LoopView):
    parameters = (
        Parameter("q", "Only conversations with this text in a turn, whatever its case."),
        Parameter("deployment_id", "Only conversations filed under this source."),
        Parameter("model", "Only conversations that this model answered."),
        Moment("from", "Captured at this time or later."),
        Moment("to", "Captured before this time."),
        *page_parameters(),
    )
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
    writes = {"DELETE": Write(answer=wire.TraceDeleted)}

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
    writes = {"POST": IMPORT}

    def post(self, request: Request) -> Response:
        """Bring conversations in. A row that is none is refused by its number; the others are stored."""
        body = self.read_body()
        row_ids = body["row_ids"]
        if row_ids is not None and (len(row_ids) != len(body["rows"]) or len(set(row_ids)) < len(row_ids)):
            message = "row_ids must hold one id for each row, and none twice."
            raise build_refusal([Detail("row_ids", "INVALID_FIELD", message)], 400)
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
    parameters = (
        Parameter("method", "Only training sets for this method.", ("sft", "dpo", "kto")),
        *page_parameters(),
    )
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


def select_traces(workspace_id: str) -> QuerySet[Trace]:
    """The workspace's conversations, newest first, under the wire's name for their source."""
    rows = Trace.objects.filter(workspace_id=workspace_id).order_by(*NEWEST_FIRST)
    return rows.annotate(deployment_id=F("source"))
