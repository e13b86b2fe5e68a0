# The gateway without its embedded ClickHouse and without a project: CLICKHOUSE_URL names a server, and the project is mounted.
#
#   docker build -t querygate .
#   docker run -v ./my-project:/project:ro -e CLICKHOUSE_URL=… -e API_KEY=… -p 127.0.0.1:8080:8080 querygate
#
# The same for linux/amd64 and linux/arm64. Commands run on the platform of the builder only (`--platform=$BUILDPLATFORM`):
# dist/ and the dependencies contain no native code, so that no builder has to emulate the other platform.

ARG NODE_IMAGE=node:22-bookworm-slim

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS manifest
# A new volume takes its owner from this folder in the image.
RUN install -d -o node -g node -m 0750 /volumes/querygate
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM manifest AS production-dependencies
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --omit=optional --ignore-scripts --no-audit
# What an image must have although it is optional, because nothing can be added to it: the packages that trace (peers), and those
# of MCP. npm omits a package that package.json calls optional even where the command names it.
RUN --mount=type=cache,target=/root/.npm \
    packages=$(node -p "const { peerDependencies, optionalDependencies } = require('./package.json'); [...Object.entries(peerDependencies), ...Object.entries(optionalDependencies).filter(([name]) => name.startsWith('@modelcontextprotocol/'))].map((entry) => entry.join('@')).join(' ')") && \
    npm pkg delete optionalDependencies && \
    npm install --no-save --save-prod --omit=dev --omit=optional --ignore-scripts --no-audit $packages

FROM manifest AS build
# Its packages are those of a workspace.
COPY console/package.json console/
# The optional packages are the embedded ClickHouse: half a gigabyte that the image does not keep.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=optional --ignore-scripts --no-audit
# The native halves of the bundler, its CSS printer and the transpiler are optional packages too; these are wanted.
RUN --mount=type=cache,target=/root/.npm \
    npm install --no-save --omit=optional --ignore-scripts --no-audit $(node -p "['rolldown', 'lightningcss', '@swc/core'].flatMap((name) => Object.entries(require('./node_modules/' + name + '/package.json').optionalDependencies)).filter(([name]) => name.endsWith('-linux-' + process.arch + '-gnu')).map((entry) => entry.join('@')).join(' ')")
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY console console
RUN node scripts/build.mjs

FROM ${NODE_IMAGE}
ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="Querygate" \
      org.opencontainers.image.description="A gateway of saved ClickHouse queries" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
WORKDIR /app
COPY --from=manifest --chown=1000:1000 /volumes /etc
COPY package.json ./
COPY --from=production-dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
ENV NODE_ENV=production \
    PROJECT_DIR=/project \
    HOST=0.0.0.0 \
    SQL_HOST=0.0.0.0 \
    PORT=8080
WORKDIR /project
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--enable-source-maps", "/app/dist/commands/cli/querygate.js"]
CMD ["serve"]
