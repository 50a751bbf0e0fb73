"""The environment in which a scenario is played: a private network, servers, clients and the packet capture."""

import os
import shutil
import signal
import subprocess
import sys
import time

SERVER = "203.0.113.7"
SECOND_SERVER = "203.0.113.8"
CLIENT = "192.0.2.2"
RESOLVER = "192.0.2.53"
PROXY = "192.0.2.80"
PRIVATE_SERVER = "10.0.0.5"
SERVER_V6 = "2001:db8::7"
CLIENT_V6 = "2001:db8::2"

COMMANDS = {
    "unshare": "util-linux",
    "ip": "iproute2",
    "ethtool": "ethtool",
    "mount": "mount",
    "tcpdump": "tcpdump",
    "openssl": "openssl",
    "nginx": "nginx",
    "curl": "curl",
    "gnutls-serv": "gnutls-bin",
    "gnutls-cli": "gnutls-bin",
    "chromium": "chromium",
    "proftpd": "proftpd-core and proftpd-mod-crypto",
}

# The timeout of every wait in a recording, in seconds: a peer that hangs is an error and does not block the script.
PATIENCE = 10.0
ENTERED = "CAPTURES_NAMESPACE_ENTERED"
WORK = "/mnt"


def missing_requirements():
    """The requirements of a recording that this machine lacks, as messages."""
    lacks = [
        f"{command} (package {package})"
        for command, package in COMMANDS.items()
        if shutil.which(command) is None
    ]
    if sys.platform != "linux":
        lacks.append("Linux network namespaces")
    elif os.geteuid() != 0:
        lacks.append("root, for the private network namespace")
    return lacks


def enter_namespace():
    """Restarts the script in its own network, mount and process namespaces.

    The network has only a loopback, the working directory is a tmpfs that other processes do not see, and
    processes that are still running are killed when the script ends.
    """
    if os.environ.get(ENTERED) == "1":
        return
    os.environ[ENTERED] = "1"
    command = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    sys.stdout.flush()
    os.execvp(command[0], command + [sys.executable] + sys.argv)


def prepare_network():
    """Gives the private loopback its documentation addresses and the MTU of Ethernet."""
    run = lambda line: subprocess.run(line.split(), check=True, stdout=subprocess.DEVNULL)
    run("mount -t tmpfs -o mode=0755 tmpfs " + WORK)
    run("ip link set lo up mtu 1500")
    # With segmentation offload, the capture would contain packets larger than the MTU.
    subprocess.run(
        "ethtool -K lo tso off gso off gro off tx off".split(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    run("ip link set lo gso_max_size 1500")
    run(f"ip addr add {CLIENT}/32 dev lo")
    run("ip addr add 10.0.0.2/32 dev lo")
    for address, source in [
        (SERVER, CLIENT),
        (SECOND_SERVER, CLIENT),
        (RESOLVER, CLIENT),
        (PROXY, CLIENT),
        (PRIVATE_SERVER, "10.0.0.2"),
    ]:
        run(f"ip addr add {address}/32 dev lo")
        run(f"ip route replace local {address} dev lo src {source} table local")
    run(f"ip -6 addr add {SERVER_V6}/128 dev lo nodad")
    run(f"ip -6 addr add {CLIENT_V6}/128 dev lo nodad")
    run(f"ip -6 route del local {SERVER_V6} dev lo table local")
    run(f"ip -6 route add local {SERVER_V6} dev lo src {CLIENT_V6} table local")


class StageError(Exception):
    """An error while a scenario is played."""


class Stage:
    """The servers and clients of one scenario; `close` ends them all."""

    def __init__(self, authority, directory, python):
        self.authority = authority
        self.directory = directory
        self.python = python
        self.processes = []
        self.threads = []
        self.sockets = []

    def path(self, name):
        """The path of a file in the working directory."""
        return os.path.join(self.directory, name)

    def write(self, name, text):
        """Writes a small file into the working directory and returns its name."""
        mode = "wb" if isinstance(text, bytes) else "w"
        with open(self.path(name), mode) as file:
            file.write(text)
        return name

    def start(self, command, port, *, udp=False):
        """Starts a server and waits until it listens, without sending it a packet."""
        with open(self.path("server.log"), "ab") as log:
            process = subprocess.Popen(
                command,
                cwd=self.directory,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        deadline = time.monotonic() + PATIENCE
        while not listening(port, udp):
            if process.poll() is not None or time.monotonic() > deadline:
                raise StageError(f"{command[0]} does not listen on port {port}:\n{self.log()}")
            time.sleep(0.02)
        return process

    def log(self):
        """The last lines that the servers wrote to their log."""
        try:
            with open(self.path("server.log"), errors="replace") as log:
                return "".join(log.readlines()[-15:])
        except FileNotFoundError:
            return ""

    def run(self, command, *, text="", succeeds=True, hold=0.0):
        """Runs a client until it ends and returns its output. `hold` keeps its standard input open for that many seconds."""
        process = subprocess.Popen(
            command,
            cwd=self.directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.processes.append(process)
        try:
            if hold:
                process.stdin.write(text.encode())
                process.stdin.flush()
                time.sleep(hold)
                output = process.communicate(timeout=PATIENCE)[0]
            else:
                output = process.communicate(text.encode(), timeout=PATIENCE)[0]
        except (subprocess.TimeoutExpired, BrokenPipeError) as error:
            process.kill()
            output = process.communicate()[0]
            if succeeds:
                raise StageError(f"{command}: {error}\n{output.decode(errors='replace')}\n{self.log()}")
        if succeeds and process.returncode != 0:
            raise StageError(
                f"{command} ended with {process.returncode}:\n"
                f"{output.decode(errors='replace')[-2000:]}\n{self.log()}"
            )
        return output

    def background(self, command, seconds):
        """Starts a client, waits that many seconds, and leaves it running."""
        process = subprocess.Popen(
            command,
            cwd=self.directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        time.sleep(seconds)

    def s_server(self, options, *, address=SERVER, port=443, serve=True, udp=False):
        """Starts `openssl s_server`; with `serve` it responds to HTTP/1.0 requests with small files."""
        self.write("hello.txt", "hello\n")
        at = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        command = ["openssl", "s_server", "-accept", at, "-quiet"]
        return self.start(command + (["-WWW"] if serve else []) + options.split(), port, udp=udp)

    def s_client(
        self, options, *, address=SERVER, port=443, host="api.example.com", succeeds=True, text=None
    ):
        """Runs `openssl s_client` for one small HTTP/1.0 request."""
        at = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        name = ["-servername", host] if host else ["-noservername"]
        command = ["openssl", "s_client", "-connect", at, "-quiet"] + name + options.split()
        request = "GET /hello.txt HTTP/1.0\r\n\r\n" if text is None else text
        return self.run(command, text=request, succeeds=succeeds)

    def talk(self, server, options, *, host="api.example.com"):
        """Exchanges one line each way between a server started without `serve` and a client, which then closes."""
        server.stdin.write(b"hello\n")
        server.stdin.flush()
        command = ["openssl", "s_client", "-connect", f"{SERVER}:443", "-quiet", "-no_ign_eof"]
        self.run(command + ["-servername", host] + options.split(), text="hello\n", hold=0.5)

    def close(self):
        """Closes the sockets and ends the processes and threads of this scenario."""
        for open_socket in self.sockets:
            open_socket.close()
        for process in self.processes:
            if process.poll() is None:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.communicate()
        for thread in self.threads:
            thread.join(PATIENCE)


class Capture:
    """tcpdump on the private loopback, for the duration of a `with` block."""

    def __init__(self, path, packets):
        self.path = path
        self.packets = packets

    def __enter__(self):
        command = ["tcpdump", "-i", "lo", "-w", self.path, "-U", "--immediate-mode", "-n", "-Z", "root"]
        self.process = subprocess.Popen(
            command + self.packets.split(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + PATIENCE
        line = b""
        while b"listening on" not in line:
            line = self.process.stderr.readline()
            if not line or time.monotonic() > deadline:
                raise StageError("tcpdump does not start")
        return self

    def __exit__(self, *_):
        time.sleep(0.25)
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=PATIENCE)


def listening(port, udp):
    """Returns whether a process listens on the port."""
    wanted = f":{port:04X}"
    for table in ["udp", "udp6"] if udp else ["tcp", "tcp6"]:
        try:
            with open(f"/proc/net/{table}") as lines:
                rows = [line.split() for line in lines][1:]
        except FileNotFoundError:
            continue
        if any(row[1].endswith(wanted) and (udp or row[3] == "0A") for row in rows):
            return True
    return False
