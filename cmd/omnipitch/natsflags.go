package main

import (
	"errors"
	"os"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// natsFlags are the flags with the credentials and certificates for connecting to a NATS server.
type natsFlags struct {
	Creds   *string `placeholder:"FILE" help:"File with NATS credentials."`
	Token   *string `placeholder:"FILE" help:"File with the token of the NATS server."`
	TLSCA   *string `name:"tls-ca" placeholder:"FILE" help:"File with the CA certificates that verify the NATS server. Default: the system's certificates."`
	TLSCert *string `name:"tls-cert" placeholder:"FILE" help:"File with the TLS certificate of this process. Needs --tls-key."`
	TLSKey  *string `name:"tls-key" placeholder:"FILE" help:"File with the private key of --tls-cert."`
}

// check checks the flags without reading any file.
func (f *natsFlags) check() error {
	if (f.TLSCert == nil) != (f.TLSKey == nil) {
		return errors.New("--tls-cert and --tls-key: give both or neither")
	}
	return nil
}

// checkFiles checks that the files exist.
func (f *natsFlags) checkFiles() error {
	for _, file := range []struct {
		name string
		path *string
	}{{"--creds", f.Creds}, {"--token", f.Token}, {"--tls-ca", f.TLSCA}, {"--tls-cert", f.TLSCert},
		{"--tls-key", f.TLSKey}} {
		if file.path == nil {
			continue
		}
		if info, err := os.Stat(*file.path); err != nil || info.IsDir() {
			return console.BadInputf("%s = %q: must name a file", file.name, *file.path)
		}
	}
	return nil
}

// dialer returns the address url of a NATS server, with the credentials from the flags.
func (f *natsFlags) dialer(url string) *cluster.Dial {
	return &cluster.Dial{URL: url, Creds: valueOf(f.Creds), TokenFile: valueOf(f.Token), CA: valueOf(f.TLSCA),
		Cert: valueOf(f.TLSCert), Key: valueOf(f.TLSKey)}
}

// valueOf returns the value of an optional flag, or "" if the user has not given it.
func valueOf(flag *string) string {
	if flag == nil {
		return ""
	}
	return *flag
}
