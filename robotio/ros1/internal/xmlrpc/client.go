package xmlrpc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// dialTime is the maximum wall time of connecting. It is short, so that a caller that retries notices soon when a peer
// is back. It is a guess: twice the time after which the kernel retries. The kernel connects to its own machine, or
// refuses to, at once: longer than ownTime, another guess, not even an overloaded machine takes.
const (
	dialTime = 2 * time.Second
	ownTime  = 20 * time.Second
)

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime}
	if host, _, err := net.SplitHostPort(addr); err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback()) {
		d.Timeout = ownTime
	}
	return d.DialContext(ctx, network, addr)
}

// client opens a connection for each call. A peer might close a reused connection just as a call is sent, and calls are
// rare.
var client = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: dial},
	CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	},
}

// Call calls method at uri, such as http://127.0.0.1:11311/, and returns its result. If the peer refuses, the error is
// a *Fault. It fails when ctx ends. ctx should have a deadline, because a stopped peer never answers.
func Call(ctx context.Context, uri, method string, args ...any) (any, error) {
	v, err := call(ctx, uri, method, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", uri, method, err)
	}
	return v, nil
}

func call(ctx context.Context, uri, method string, args []any) (any, error) {
	body, err := encodeCall(method, args)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, uri, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "text/xml")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("HTTP status %s: must be 200", resp.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > maxBody {
		return nil, fmt.Errorf("response of more than %d bytes", maxBody)
	}
	return decodeResponse(raw)
}
