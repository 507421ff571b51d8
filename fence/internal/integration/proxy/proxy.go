// Package proxy is a TCP proxy on loopback that stands between a client and a
// server in tests: it counts round trips, delays them, and loses replies.
package proxy

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Proxy forwards connections to one address. Its methods are safe for
// concurrent use.
type Proxy struct {
	listener net.Listener
	target   string
	delay    time.Duration

	trips atomic.Int64

	mu    sync.Mutex
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
	p := &Proxy{listener: l, target: target, delay: delay, conns: map[net.Conn]bool{}}
	p.done.Add(1)
	go p.accept()
	return p, nil
}

// Port is where the proxy listens.
func (p *Proxy) Port() int { return p.listener.Addr().(*net.TCPAddr).Port }

// Trips counts round trips so far: how often the client spoke after the
// server had spoken, on all connections.
func (p *Proxy) Trips() int64 { return p.trips.Load() }

// LoseReply breaks the next connection on which the client sends text, after
// the server has got it and has answered: the answer does not arrive. The
// channel is closed then.
func (p *Proxy) LoseReply(text string) <-chan struct{} {
	t := newTrap(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose = t
	return t.sprung
}

// Hold keeps the next request that holds text back, as a slow network does,
// until release is called. The channel is closed when there is one.
func (p *Proxy) Hold(text string) (held <-chan struct{}, release func()) {
	t := newTrap(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = t
	return t.sprung, sync.OnceFunc(func() { close(t.opened) })
}

// A trap waits for one request.
type trap struct {
	text           []byte
	sprung, opened chan struct{}
}

func newTrap(text string) *trap {
	return &trap{text: bytes.ToLower([]byte(text)), sprung: make(chan struct{}), opened: make(chan struct{})}
}

// spring takes the trap at *t away if it is for this request.
func (p *Proxy) spring(t **trap, request []byte) *trap {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *t == nil || !bytes.Contains(bytes.ToLower(request), (*t).text) {
		return nil
	}
	found := *t
	*t = nil
	return found
}

// Close breaks all connections and ends the proxy.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.done.Wait()
}

func (p *Proxy) accept() {
	defer p.done.Done()
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
		c := &conn{proxy: p, client: client, server: server}
		p.done.Add(2)
		go c.up()
		go c.down()
	}
}

// A conn is one forwarded connection.
type conn struct {
	proxy          *Proxy
	client, server net.Conn

	asked  atomic.Bool          // the client has spoken last
	losing atomic.Pointer[trap] // set: the next answer is lost
}

func (c *conn) close() {
	_ = c.client.Close()
	_ = c.server.Close()
	c.proxy.mu.Lock()
	delete(c.proxy.conns, c.client)
	delete(c.proxy.conns, c.server)
	c.proxy.mu.Unlock()
	c.proxy.done.Done()
}

// up carries what the client says. A request that comes in two reads is
// counted once, for the server has not answered in between.
func (c *conn) up() {
	defer c.close()
	b := make([]byte, 1<<16)
	for {
		n, err := c.client.Read(b)
		if err != nil {
			return
		}
		if !c.asked.Swap(true) {
			c.proxy.trips.Add(1)
			wait(c.proxy.delay)
		}
		if t := c.proxy.spring(&c.proxy.hold, b[:n]); t != nil {
			close(t.sprung)
			<-t.opened
		}
		if t := c.proxy.spring(&c.proxy.lose, b[:n]); t != nil {
			c.losing.Store(t)
		}
		if _, err := c.server.Write(b[:n]); err != nil {
			return
		}
	}
}

// down carries what the server says.
func (c *conn) down() {
	defer c.close()
	b := make([]byte, 1<<16)
	for {
		n, err := c.server.Read(b)
		if err != nil {
			return
		}
		if t := c.losing.Load(); t != nil {
			close(t.sprung)
			return
		}
		c.asked.Store(false)
		if _, err := c.client.Write(b[:n]); err != nil {
			return
		}
	}
}

// wait is exact to some microseconds, where a sleep is late by up to a tick.
func wait(d time.Duration) {
	end := time.Now().Add(d)
	if d > 2*time.Millisecond {
		time.Sleep(d - 2*time.Millisecond)
	}
	for d > 0 && time.Now().Before(end) {
		time.Sleep(20 * time.Microsecond)
	}
}
