"""One or two connections between a client and a server of aioquic.

    quic_peer.py FORM CERTIFICATES KEY ADDRESS PORT HOST KEYLOG

FORM is `v1`, `v2`, `retry`, `negotiation` (the client begins with a version that the server does not support),
`resumed`, `refused` (the client does not trust the root), `no-alpn` (no protocol in common), `unreachable` (nothing listens)
or `other-version` (no version in common).
"""

import asyncio
import ssl
import sys

from aioquic.asyncio import connect, serve
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.packet import QuicProtocolVersion

# Q050, a version of Google QUIC.
OTHER = 0x51303530
V1, V2 = QuicProtocolVersion.VERSION_1, QuicProtocolVersion.VERSION_2


def answer(reader, writer):
    """Responds to a stream with one line, whatever the stream contains."""

    async def work():
        await reader.read()
        writer.write(b"hello\n")
        writer.write_eof()

    asyncio.ensure_future(work())


async def main():
    form, certificates, key, address, port, host, keylog = sys.argv[1:]
    server = QuicConfiguration(is_client=False, alpn_protocols=["h3"])
    server.load_cert_chain(certificates, key)
    server.supported_versions = [V2] if form == "v2" else [V1]
    tickets = {}
    if form != "unreachable":
        await serve(
            address,
            int(port),
            configuration=server,
            retry=form == "retry",
            stream_handler=answer,
            session_ticket_handler=lambda ticket: tickets.setdefault(ticket.ticket, ticket),
            session_ticket_fetcher=lambda label: tickets.get(label),
        )
    received = []
    with open(keylog, "w") as secrets:
        for _ in range(2 if form == "resumed" else 1):
            client = QuicConfiguration(
                server_name=host, alpn_protocols=["x-other" if form == "no-alpn" else "h3"]
            )
            client.verify_mode = ssl.CERT_REQUIRED if form == "refused" else ssl.CERT_NONE
            client.secrets_log_file = secrets
            if form == "unreachable":
                client.idle_timeout = 2.0
            client.supported_versions = {
                "v2": [V2],
                "negotiation": [0x1A2A3A4A, V1],
                "other-version": [OTHER],
            }.get(form, [V1])
            client.original_version = client.supported_versions[0]
            client.session_ticket = received[-1] if received else None
            try:
                async with connect(
                    address, int(port), configuration=client, session_ticket_handler=received.append
                ) as connection:
                    reader, writer = await connection.create_stream()
                    writer.write(b"GET /\r\n")
                    writer.write_eof()
                    await reader.read()
            except ConnectionError:
                if form not in ("refused", "no-alpn", "unreachable", "other-version"):
                    raise


asyncio.run(asyncio.wait_for(main(), 9))
