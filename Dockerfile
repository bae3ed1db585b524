# The service and its page, with drivers for PostgreSQL and MySQL. It runs as a user without rights; what
# must last (policy, ledger) lies in /data.
FROM python:3.12-slim
WORKDIR /src
COPY requirements.lock requirements-dev.lock ./
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock \
    && pip install --no-cache-dir --no-deps --require-hashes -c requirements-dev.lock psycopg psycopg-binary pymysql
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir --no-deps --no-build-isolation . \
    && useradd --create-home --uid 1000 twoworlds && mkdir /data && chown twoworlds /data
USER twoworlds
WORKDIR /data
VOLUME /data
EXPOSE 8642
ENTRYPOINT ["twoworlds"]
CMD ["serve", "--host", "0.0.0.0", "--allow-host", "localhost", "--allow-host", "127.0.0.1", \
     "--data-folder", "/data/hospital"]
