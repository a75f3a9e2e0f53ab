package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serve starts a server.
func serve(t *testing.T, c ServerConfig) *Server {
	t.Helper()
	if c.TokenFile == "" {
		c.TokenFile = filepath.Join(t.TempDir(), "token")
	}
	s, err := Serve(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A server listens on loopback for who knows its token, and beyond it with TLS alone.
func TestListen(t *testing.T) {
	folder := t.TempDir()
	for listen, want := range map[string]string{"0.0.0.0:0": "beyond loopback needs TLS", "192.0.2.1:4222": "beyond loopback needs TLS", ":4222": "must be PORT, or HOST:PORT", "x": "must be PORT, or HOST:PORT", "70000": "must be PORT"} {
		if _, err := Serve(ServerConfig{Folder: folder, Listen: listen, TokenFile: filepath.Join(folder, "t")}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", listen, err, want)
		}
	}
	if s := serve(t, ServerConfig{}); s.Address != "" || s.Addr() != nil {
		t.Errorf("it listens at %s, unasked", s.Address)
	}
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	selfSigned(t, cert, key)
	plain := serve(t, ServerConfig{Listen: "0", TokenFile: filepath.Join(folder, "plain")})
	secret := serve(t, ServerConfig{Listen: "127.0.0.1:0", Cert: cert, Key: key, TokenFile: filepath.Join(folder, "secret")})
	if !strings.HasPrefix(plain.Address, "127.0.0.1:") {
		t.Errorf("listens at %s", plain.Address)
	}
	if info, err := os.Stat(filepath.Join(folder, "secret")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, token's file has mode %v", err, info.Mode())
	}
	for _, c := range []struct {
		name string
		d    Dial
		ok   bool
	}{
		{"with its token", Dial{URL: "nats://" + plain.Address, TokenFile: filepath.Join(folder, "plain")}, true},
		{"without a token", Dial{URL: "nats://" + plain.Address}, false},
		{"with another's token", Dial{URL: "nats://" + plain.Address, TokenFile: filepath.Join(folder, "secret")}, false},
		{"TLS, signed by whom it trusts", Dial{URL: "tls://" + secret.Address, TokenFile: filepath.Join(folder, "secret"), CA: cert}, true},
		{"TLS, signed by a stranger", Dial{URL: "tls://" + secret.Address, TokenFile: filepath.Join(folder, "secret")}, false},
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
	if nc, err := secret.Connect(); err != nil { // of the same process
		t.Error(err)
	} else {
		nc.Close()
	}
}

// selfSigned writes a certificate of 127.0.0.1 and its key.
func selfSigned(t *testing.T, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
