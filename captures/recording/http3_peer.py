"""An HTTP/3 server of aioquic that responds to every request with one line.

    http3_peer.py CERTIFICATES KEY ADDRESS PORT [retry]

With `retry` it requires a token from clients first.
"""

import asyncio
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated


class Answering(QuicConnectionProtocol):
    """A connection of the server."""

    http = None

    def quic_event_received(self, event):
        """Responds to each request once its headers are complete."""
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if self.http is None:
            return
        for received in self.http.handle_event(event):
            if isinstance(received, HeadersReceived):
                self.http.send_headers(
                    received.stream_id, [(b":status", b"200"), (b"content-type", b"text/plain")]
                )
                self.http.send_data(received.stream_id, b"hello\n", end_stream=True)
        self.transmit()


async def main():
    certificates, key, address, port = sys.argv[1:5]
    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
    configuration.load_cert_chain(certificates, key)
    await serve(
        address,
        int(port),
        configuration=configuration,
        create_protocol=Answering,
        retry=sys.argv[5:] == ["retry"],
    )
    await asyncio.sleep(30)


asyncio.run(main())
