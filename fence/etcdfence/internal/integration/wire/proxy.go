package wire

import (
	"bytes"
	"maps"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A Proxy forwards connections to one address. Its methods are safe for
// concurrent use.
type Proxy struct {
	listener net.Listener
	target   string
	delay    time.Duration

	mu    sync.Mutex
	calls map[string]int
	lose  *trap
	hold  *trap
	conns map[net.Conn]bool
	done  sync.WaitGroup
}

// Start forwards a free loopback port to target. A round trip takes delay
// longer than it would.
func Start(target string, delay time.Duration) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, delay: delay, conns: map[net.Conn]bool{}, calls: map[string]int{}}
	p.done.Go(p.accept)
	return p, nil
}

// Address is where the proxy listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Calls counts the gRPC calls so far by their path, as
// "/etcdserverpb.KV/Txn".
func (p *Proxy) Calls() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.calls)
}

// LoseReply breaks the connection of the next call that holds text, when the
// server has answered it: the answer does not arrive. The channel is closed
// then.
func (p *Proxy) LoseReply(text string) <-chan struct{} {
	t := newTrap(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose = t
	return t.sprung
}

// Hold keeps the next call that holds text back, and whatever its connection
// carries after it, as a slow network does, until release is called. The
// channel is closed when there is one.
func (p *Proxy) Hold(text string) (held <-chan struct{}, release func()) {
	t := newTrap(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = t
	return t.sprung, sync.OnceFunc(func() { close(t.opened) })
}

// A trap waits for one call.
type trap struct {
	text           []byte
	sprung, opened chan struct{}
}

func newTrap(text string) *trap {
	return &trap{text: []byte(text), sprung: make(chan struct{}), opened: make(chan struct{})}
}

// spring takes the trap at *t away if it is for this request.
func (p *Proxy) spring(t **trap, request []byte) *trap {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *t == nil || !bytes.Contains(request, (*t).text) {
		return nil
	}
	found := *t
	*t = nil
	return found
}

// Close breaks all connections and ends the proxy.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	ended := make(chan struct{})
	go func() {
		p.done.Wait()
		close(ended)
	}()
	for { // a connection may have been accepted a moment ago and not be listed yet
		p.mu.Lock()
		p.hold = nil
		for c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		select {
		case <-ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		c := &conn{proxy: p, client: client, server: server, losing: map[uint32]*trap{}}
		p.done.Go(c.up)
		p.done.Go(c.down)
	}
}

// A conn is one forwarded connection.
type conn struct {
	proxy          *Proxy
	client, server net.Conn

	mu     sync.Mutex
	losing map[uint32]*trap // by stream: its answer is lost
}

func (c *conn) close() {
	_ = c.client.Close()
	_ = c.server.Close()
	c.proxy.mu.Lock()
	delete(c.proxy.conns, c.client)
	delete(c.proxy.conns, c.server)
	c.proxy.mu.Unlock()
}

// up carries what the client says.
func (c *conn) up() {
	defer c.close()
	headers := hpack.NewDecoder(4096, func(f hpack.HeaderField) {
		if f.Name == ":path" {
			c.proxy.mu.Lock()
			c.proxy.calls[f.Value]++
			c.proxy.mu.Unlock()
		}
	})
	line := newLine(c.server, c.proxy.delay/2)
	defer line.end()
	frames := reader{from: c.client}
	if !line.send(frames.exactly(len(http2.ClientPreface))) {
		return
	}
	for {
		f := frames.next()
		if f == nil {
			return
		}
		switch f.kind() {
		case http2.FrameHeaders:
			if _, err := headers.Write(f.block()); err != nil || headers.Close() != nil {
				return
			}
		case http2.FrameData:
			if t := c.proxy.spring(&c.proxy.hold, f.payload()); t != nil {
				close(t.sprung)
				<-t.opened
			}
			if t := c.proxy.spring(&c.proxy.lose, f.payload()); t != nil {
				c.mu.Lock()
				c.losing[f.stream()] = t
				c.mu.Unlock()
			}
		}
		if !line.send(f) {
			return
		}
	}
}

// down carries what the server says.
func (c *conn) down() {
	defer c.close()
	line := newLine(c.client, c.proxy.delay/2)
	defer line.end()
	frames := reader{from: c.server}
	for {
		f := frames.next()
		if f == nil {
			return
		}
		if f.kind() == http2.FrameHeaders {
			c.mu.Lock()
			t := c.losing[f.stream()]
			c.mu.Unlock()
			if t != nil {
				close(t.sprung)
				return
			}
		}
		if !line.send(f) {
			return
		}
	}
}
