package cluster

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

const (
	good = `servers = ["tls://10.0.0.5:4222", "tls://lab-1:4222", "tls://[fd00::5]:4222"]
token = "0123456789abcdef"
certificate_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
`
	local = `servers = ["nats://127.0.0.1:4222"]
token = "0123456789abcdef"
`
)

func TestReadJoin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "join")
	read := func(text string) (*Join, error) {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return ReadJoin(path)
	}
	for _, text := range []string{good, local, strings.Replace(local, "127.0.0.1", "[::1]", 1),
		strings.Replace(local, "127.0.0.1", "localhost", 1)} {
		if j, err := read(text); err != nil || len(j.Servers) == 0 || j.Token != "0123456789abcdef" {
			t.Errorf("%s%+v, %v", text, j, err)
		}
	}
	for _, c := range []struct{ text, old, new, want string }{
		{good, "certificate", "certifikate", ": unknown key; did you mean certificate_sha256?"},
		{good, "servers", "servers = 1 #", ":1:1: servers = 1: must be"},
		{good, "servers", "#", ":1:1: servers: must be given"},
		{good, `"tls://10.0.0.5:4222", "tls://lab-1:4222", "tls://[fd00::5]:4222"`, "",
			":1:1: servers = []: must have at least one address"},
		{good, "tls://lab-1:4222", "lab-1:4222",
			`:1:35: servers[1] = "lab-1:4222": must be tls://HOST:PORT or nats://HOST:PORT`},
		{good, "tls://lab-1:4222", "tls://me:x@lab-1:4222", "must be tls://HOST:PORT"},
		{good, "tls://lab-1:4222", "tls://lab-1:4222/x", "must be tls://HOST:PORT"},
		{good, "tls://lab-1:4222", "tls://lab-1:70000", "must be tls://HOST:PORT"},
		{good, "tls://lab-1:4222", "tls://lab-1", "must be tls://HOST:PORT"},
		{good, "tls://lab-1:4222", "nats://lab-1:4222", "connections to other machines must be encrypted"},
		{good, "tls://lab-1:4222", "nats://127.0.0.1:4222", "and nats:// without"},
		{good, "certificate_sha256", "#", "must be tls:// with certificate_sha256"},
		{good, "0123456789abcdef0123456789abcdef0", "", "certificate_sha256 = \"123456789abcdef0123456789abcdef\": " +
			"must have 64 hexadecimal digits"},
		{local, "127.0.0.1", "10.0.0.5", "connections to other machines must be encrypted"},
		{local, "0123456789abcdef", "short", ":2:1: token = \"short\": must have 16 to 256 characters"},
		{local, "0123456789abcdef", "0123456789 abcdef", "token = \"0123456789 abcdef\": must have 16 to 256 " +
			"characters, of ASCII, without spaces"},
		{local, "token", "#", "token: must have 16 to 256 characters"},
		{local, "token", strings.Repeat("#", maxJoin), "is no join file: it is larger than 64 KiB"},
		{local, local, "\x00\x01", "join"},
	} {
		text := strings.Replace(c.text, c.old, c.new, 1)
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
			path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.200s: %v, want %s", text, err, c.want)
		}
	}
	if _, err := ReadJoin(filepath.Join(path, "none")); err == nil {
		t.Error("read what is not there")
	}
}

// What is taken is written, and read again, as it is.
func FuzzJoin(f *testing.F) {
	for _, text := range []string{good, local, "", "servers = []\ntoken = 1",
		"servers = ['tls://[::1]:1']\ntoken = '0123456789abcde'\ncertificate_sha256 = 'x'", "[servers]\n[[token]]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		j, err := parseJoin("join", text)
		if err != nil {
			if err.Error() == "" {
				t.Error("refused without a reason")
			}
			return
		}
		path := filepath.Join(t.TempDir(), "join")
		must.Do(t, j.write(path))
		if again, err := ReadJoin(path); err != nil || !reflect.DeepEqual(again, j) {
			t.Errorf("%v: %+v, want %+v", err, again, j)
		}
	})
}
