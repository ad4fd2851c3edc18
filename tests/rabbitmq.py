"""A throw-away RabbitMQ that the tests start themselves: own port, own folder, own Erlang names; root or not."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from amqp import Connection

from tests.processes import free_port


def server() -> Path | None:
    """The server's own script (Debian's in /usr/sbin insists on the system's user and folders), or None."""
    scripts = sorted(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/sbin/rabbitmq-server"))
    if scripts and shutil.which("epmd"):
        return scripts[-1]
    return None


class Broker:
    """One node; ``folder`` holds everything that it writes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(free_port()),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"homerun-{os.getpid()}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(folder / "none"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),
        }
        (folder / "plugins").write_text("[].\n")
        self.names = self._run("epmd")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self) -> None:
        script = server()
        assert script is not None
        self.process = self._run(script)
        end = time.monotonic() + 60
        while not self.answers():
            assert self.process.poll() is None, (self.folder / "output").read_text()
            assert time.monotonic() < end, "RabbitMQ does not start"
            time.sleep(0.1)

    def kill(self) -> None:
        """As a power cut does it; messages that were on the disk come back with the next start."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        for process in (self.process, self.names):
            if process is not None and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def answers(self) -> bool:
        try:
            with self.connect():
                return True
        except OSError:
            return False

    def connect(self) -> Connection:
        connection = Connection(f"127.0.0.1:{self.port}", userid="guest", password="guest", connect_timeout=5)
        connection.connect()
        return connection

    def waiting(self, queue: str = "celery") -> int:
        """How many messages lie in the queue, and in nobody's hands."""
        with self.connect() as connection:
            return connection.channel().queue_declare(queue, passive=True).message_count

    def drop(self, queue: str = "celery") -> int:
        """Lose every message that lies in the queue; how many they were."""
        with self.connect() as connection:
            channel = connection.channel()
            # As Celery declares it.
            channel.queue_declare(queue, durable=True, auto_delete=False)
            return channel.queue_purge(queue)

    def _run(self, command: Path | str) -> subprocess.Popen[bytes]:
        # A group of its own: the script starts Erlang, which starts helpers.
        with (self.folder / "output").open("ab") as output:
            return subprocess.Popen(
                [command],
                env=self.environment,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
