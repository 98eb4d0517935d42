# One image for scheduler, worker, web and command line; docs/docker.md says how to run it.
# Built from the locks, every file checked against its hash.

# Not slim: a package without a wheel for this machine (chompjs on arm64) is compiled here.
FROM python:3.13 AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY requirements.lock requirements-build.lock ./
RUN python -m venv --without-pip /opt/monitor \
 && python -m pip --python /opt/monitor/bin/python install \
      --quiet --require-hashes -r requirements.lock
RUN python -m venv /build/tools \
 && /build/tools/bin/python -m pip install \
      --quiet --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md CHANGELOG.md LICENSE scheduler.py ./
COPY monitor ./monitor
COPY templates ./templates
COPY config ./config
RUN /build/tools/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . \
 && python -m pip --python /opt/monitor/bin/python install --quiet --no-deps --no-index dist/*.whl

FROM python:3.13-slim
# The group is root's and may write, so that any user id can be chosen to run it.
RUN mkdir -p /etc/monitor \
 && chmod 0770 /etc/monitor
COPY --from=build /opt/monitor /opt/monitor
ENV PATH=/opt/monitor/bin:$PATH HOME=/tmp MONITOR_CONFIG=/etc/monitor PYTHONUNBUFFERED=1
WORKDIR /srv/monitor
COPY scheduler.py ./
USER 10001:0
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
CMD ["monitor", "web", "--host", "0.0.0.0"]
