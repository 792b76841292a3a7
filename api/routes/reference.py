"""GET /openapi.json and /docs: what there is to ask."""

from starlette.responses import HTMLResponse, Response

from api.http import docs_page
from api.http.exchanges import Exchange, answer


async def get_openapi(exchange: Exchange) -> Response:
    return answer(200, exchange.request.app.state.openapi())


async def get_docs(exchange: Exchange) -> Response:
    return HTMLResponse(docs_page.page(exchange.request.app.state.openapi()))
