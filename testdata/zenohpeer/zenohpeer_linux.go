// Package zenohpeer runs routers and peers of Eclipse Zenoh, for tests.
package zenohpeer

import (
	_ "embed"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// eclipse is the implementation of the Zenoh project, with its router.
const eclipse = "eclipse-zenoh==1.10.2 --hash=sha256:cd3c922c9f018568f9c7c8747f1aad81b646f5d8e98cc24bfa4aa160f35cdb96"

//go:embed peer.py
var program string

// Peer is a session of Eclipse Zenoh.
type Peer struct {
	*ddspeer.Peer
	in io.Writer
}

// Start starts a router, a peer or a client, and waits until it is ready. router is the endpoint to which it connects;
// "" for none. It skips the test if the Python packages cannot be installed.
func Start(t testing.TB, mode, router string) *Peer {
	t.Helper()
	cmd := exec.Command(pypi.Python(t, eclipse), must.File(t, "peer.py", program), mode, router)
	in := must.Get(cmd.StdinPipe())(t)
	p := &Peer{Peer: ddspeer.Run(t, cmd), in: in}
	must.Until(t, "the "+mode, func() bool { return len(p.Starting("ready")) > 0 })
	return p
}

// Do makes the peer do something, and waits until it has begun.
func (p *Peer) Do(t testing.TB, format string, args ...any) {
	t.Helper()
	line := fmt.Sprintf(format, args...)
	before := len(p.Starting("did " + line))
	must.Get(io.WriteString(p.in, line+"\n"))(t)
	must.Until(t, line, func() bool { return len(p.Starting("did "+line)) > before })
}

// Wait waits for lines of the peer.
func (p *Peer) Wait(t testing.TB, lines ...string) {
	t.Helper()
	for _, l := range lines {
		must.Until(t, l, func() bool { return len(p.Starting(l)) > 0 })
	}
}

// Port returns the port at which a router listens.
func (p *Peer) Port(t testing.TB) string {
	t.Helper()
	ports := p.Starting("port ")
	if len(ports) != 1 {
		t.Fatalf("ports %q: want one", ports)
	}
	return strings.TrimPrefix(ports[0], "port ")
}

// Forward returns the address of a listener that forwards connections to the port that target holds. So a router can
// return at the same address.
func Forward(t testing.TB, target *atomic.Pointer[string]) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	var all sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", "127.0.0.1:"+*target.Load())
			if err != nil {
				in.Close()
				continue
			}
			for _, c := range [][2]net.Conn{{in, out}, {out, in}} {
				all.Go(func() {
					_, _ = io.Copy(c[0], c[1])
					c[0].Close()
					c[1].Close()
				})
			}
		}
	})
	return listener.Addr().String()
}
