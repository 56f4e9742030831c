# The scoring service of one model, without torch and scikit-learn:
#
#   docker build --tag crisplogic-serve .
#   docker run --rm --publish 127.0.0.1:8000:8000 --volume "$PWD/model:/model:ro" crisplogic-serve
#
FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml setup.py README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY constraints.txt /
COPY --from=build /wheels /wheels
# Rules need numpy, the command line needs typer. The other dependencies are for learning.
RUN pip install --no-cache-dir --constraint /constraints.txt numpy fastapi uvicorn typer \
    && pip install --no-cache-dir --no-deps /wheels/*.whl
USER 65534
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
ENTRYPOINT ["crisplogic", "serve"]
CMD ["/model", "--host", "0.0.0.0", "--quiet"]
