package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificate loads the certificate from the files that c names. Without such files it makes a self-signed certificate.
// This certificate is stored in the folder of the server, so that clients accept the server after a restart. Without a
// folder it exists only in memory.
func certificate(c *ServerConfig, hosts []string) (tls.Certificate, error) {
	if c.Cert != "" {
		cert, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			err = fmt.Errorf("TLS: %w", err)
		}
		return cert, err
	}
	if c.Folder == "" {
		text, err := selfSigned(hosts)
		if err != nil {
			return tls.Certificate{}, err
		}
		return tls.X509KeyPair(text, text)
	}
	path := filepath.Join(c.Folder, "certificate.pem")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if text, err = selfSigned(hosts); err == nil {
			err = os.MkdirAll(c.Folder, 0o750)
		}
		if err == nil {
			err = writePrivate(path, text)
		}
	}
	if err != nil {
		return tls.Certificate{}, err
	}
	cert, err := tls.X509KeyPair(text, text)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return cert, err
}

// validFor is the time for which a self-signed certificate is valid. It is longer than any sweep takes.
const validFor = 10 * 365 * 24 * time.Hour

// selfSigned returns a self-signed certificate for the given names and addresses, together with its private key, as
// PEM.
func selfSigned(hosts []string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "omnipitch"}, NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(validFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			form.IPAddresses = append(form.IPAddresses, ip)
		} else {
			form.DNSNames = append(form.DNSNames, host)
		}
	}
	cert, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}
