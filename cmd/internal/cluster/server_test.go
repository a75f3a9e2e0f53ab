package cluster

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// serve starts a server.
func serve(t *testing.T, c ServerConfig) *Server {
	t.Helper()
	if c.Join == "" {
		c.Join = filepath.Join(t.TempDir(), "join")
	}
	s, err := Serve(c)
	must.Do(t, err)
	t.Cleanup(s.Close)
	return s
}

// join reads a server's join file, which its owner alone may read.
func join(t *testing.T, s *Server) *Join {
	t.Helper()
	if info, err := os.Stat(s.path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%s: %v, mode %v", s.path, err, info.Mode())
	}
	j, err := ReadJoin(s.path)
	must.Do(t, err)
	return j
}

// A server listens on loopback for who knows its token, and beyond it with TLS.
func TestListen(t *testing.T) {
	folder := t.TempDir()
	for listen, want := range map[string]string{":4222": "must be PORT, or HOST:PORT",
		"x": "must be PORT, or HOST:PORT", "70000": "must be PORT"} {
		must.Refuse(Serve(ServerConfig{Folder: folder, Listen: listen, Join: filepath.Join(folder,
			"t")}))(t, want, listen)
	}
	if s := serve(t, ServerConfig{}); s.Address != "" || s.Addr() != nil {
		t.Errorf("it listens at %s, unasked", s.Address)
	}
	pair, err := selfSigned([]string{"127.0.0.1"})
	must.Do(t, err)
	cert, token, other := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "token"),
		filepath.Join(folder, "other")
	plain := serve(t, ServerConfig{Listen: "0"})
	for path, text := range map[string]string{cert: string(pair), token: plain.join.Token, other: "0123456789abcdef"} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	secret := serve(t, ServerConfig{Listen: "127.0.0.1:0", Cert: cert, Key: cert})
	if !strings.HasPrefix(plain.Address, "127.0.0.1:") || plain.join.Certificate != "" {
		t.Errorf("listens at %s, certificate %s", plain.Address, plain.join.Certificate)
	}
	if s := serve(t, ServerConfig{Listen: "0", Encrypt: true}); s.join.Certificate == "" {
		t.Error("it is not encrypted on loopback, as it was asked for")
	} else if conn, err := join(t, s).Connect("a"); err != nil || conn.ConnectedUrl() != "tls://"+s.Address {
		t.Errorf("by TLS on loopback: %v", err)
	} else {
		conn.Close()
	}
	secretToken := filepath.Join(folder, "secret")
	must.Do(t, os.WriteFile(secretToken, []byte(secret.join.Token), 0o600))
	for _, c := range []struct {
		name string
		d    Dial
		ok   bool
	}{
		{"with its token", Dial{URL: "nats://" + plain.Address, TokenFile: token}, true},
		{"without a token", Dial{URL: "nats://" + plain.Address}, false},
		{"with another's token", Dial{URL: "nats://" + plain.Address, TokenFile: other}, false},
		{"TLS, signed by whom it trusts", Dial{URL: "tls://" + secret.Address, TokenFile: secretToken, CA: cert}, true},
		{"TLS, signed by a stranger", Dial{URL: "tls://" + secret.Address, TokenFile: secretToken}, false},
		{"TLS without a token", Dial{URL: "tls://" + secret.Address, CA: cert}, false},
	} {
		nc, err := c.d.Connect("test")
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil {
			nc.Close()
		}
	}
	for _, s := range []*Server{plain, secret} {
		nc, err := join(t, s).Connect("test")
		must.Do(t, err)
		nc.Close()
		if nc, err = s.Connect(); err != nil { // of the same process
			t.Fatal(err)
		}
		nc.Close()
	}
}

// A join file reaches only its own server, under every name of the server, also after a restart.
func TestJoin(t *testing.T) {
	folder, path := filepath.Join(t.TempDir(), "nats"), filepath.Join(t.TempDir(), "a folder")
	must.Do(t, os.Mkdir(path, 0o700))
	path = filepath.Join(path, "join")
	server := serve(t, ServerConfig{Folder: folder, Listen: "0.0.0.0:0", Join: path})
	must.Equal(t, server.Hint(), "omnipitch worker --join '"+path+"'", "hint")
	j := join(t, server)
	_, port, err := net.SplitHostPort(server.Address)
	must.Do(t, err)
	name, err := os.Hostname()
	must.Do(t, err)
	if len(j.Certificate) != 64 || !slices.Contains(j.Servers, "tls://"+name+":"+port) {
		t.Errorf("%+v, want tls://%s:%s", j, name, port)
	}
	greet := func(j *Join) error {
		nc, err := j.Connect("test")
		if err == nil {
			defer nc.Close()
			err = nc.FlushTimeout(5 * time.Second)
		}
		return err
	}
	reached := 0
	// the last are not in the certificate
	for _, address := range append(j.Servers, "tls://localhost:"+port, "tls://127.0.0.2:"+port) {
		single := *j
		single.Servers = []string{address}
		switch err := greet(&single); {
		case err == nil:
			reached++
		case address != "tls://"+name+":"+port: // which may have no address here
			t.Errorf("%s: %v", address, err)
		}
	}
	if reached < 2 || reached < len(j.Servers) {
		t.Errorf("reached by %d of %v", reached, j.Servers)
	}
	if err := greet(j); err != nil {
		t.Error(err)
	}
	bare := Dial{URL: "nats://127.0.0.1:" + port}
	if nc, err := bare.Connect("test"); err == nil {
		nc.Close()
		t.Error("let in without encryption")
	}
	wrong, far := *j, *j
	wrong.Token, far.Certificate = "0123456789abcdef", strings.Repeat("0", 64)
	for want, w := range map[string]*Join{"Authorization Violation": &wrong, "differs from the join file": &far} {
		must.Fail(t, greet(w), want)
	}

	server.Close()
	other := serve(t, ServerConfig{Listen: "0.0.0.0:" + port}) // in its place, in memory alone
	must.Fail(t, greet(j), "differs from the join file", "at another server")
	if len(join(t, other).Certificate) != 64 || join(t, other).Certificate == j.Certificate ||
		join(t, other).Token == j.Token {
		t.Error("another server has the same secrets")
	}
	other.Close()
	again := serve(t, ServerConfig{Folder: folder, Listen: "0.0.0.0:" + port, Join: path})
	if err := greet(j); err != nil {
		t.Errorf("when it has begun again: %v", err)
	}
	if got := join(t, again); got.Token != j.Token || got.Certificate != j.Certificate || !slices.Equal(got.Servers,
		j.Servers) {
		t.Errorf("%+v, before %+v", got, j)
	}
	if info, err := os.Stat(filepath.Join(folder, "certificate.pem")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, the certificate's file has mode %v", err, info.Mode())
	}

	mine := filepath.Join(t.TempDir(), "mine")
	must.Do(t, os.WriteFile(mine, []byte("dear diary"), 0o600))
	must.Refuse(Serve(ServerConfig{Listen: "0", Join: mine}))(t, "would replace another file", "over another file")
	if text, err := os.ReadFile(mine); err != nil || string(text) != "dear diary" {
		t.Errorf("%v: %s", err, text)
	}
}

// A frame of 1280 × 1024 pixels goes as one message, also through TLS.
func TestPayload(t *testing.T) {
	server := serve(t, ServerConfig{Listen: "0.0.0.0:0"})
	nc, err := join(t, server).Connect("test")
	must.Do(t, err)
	defer nc.Close()
	own, err := server.Connect()
	must.Do(t, err)
	defer own.Close()
	got, err := own.SubscribeSync("frame")
	if err == nil {
		err = own.Flush()
	}
	frame := bytes.Repeat([]byte{1, 2, 3, 4}, 1280*1024)
	if err == nil {
		err = nc.Publish("frame", frame)
	}
	must.Do(t, err)
	msg, err := got.NextMsg(20 * time.Second)
	if err != nil || !bytes.Equal(msg.Data, frame) {
		t.Errorf("%v", err)
	}
}
