// Answers as steamcommunity.com and api.steampowered.com and passes everything on to the Steam emulator.
// Only for a network namespace of its own: it takes the ports of the web.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { world } from './world.mjs';

const { hostname, port } = new URL(world.steam.api);

function pass(socket) {
  const emulator = net.connect(Number(port), hostname);
  socket.pipe(emulator).pipe(socket);
  for (const end of [socket, emulator]) {
    end.on('error', () => {
      socket.destroy();
      emulator.destroy();
    });
  }
}

const [key, cert] = ['key', 'cert'].map((name) => readFileSync(`${process.env.CERTIFICATES}/${name}.pem`));
const listening = [
  [tls.createServer({ key, cert }, pass), 443],
  [net.createServer(pass), 80],
].map(([server, port]) => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)));
await Promise.all(listening);
console.log('ready');
