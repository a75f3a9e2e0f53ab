package webtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Client is a plain WebSocket client; tests write the protocol's messages themselves.
type Client struct {
	T    testing.TB
	Conn *websocket.Conn
}

// receiveTime limits the wait for a message; a guess, far more than a busy machine needs.
const receiveTime = time.Minute

// Dial connects to a server and offers subprotocols. The connection is closed when the test ends.
func Dial(t testing.TB, url string, protocols ...string) Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), receiveTime)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(64 << 20)
	t.Cleanup(func() { c.CloseNow() })
	return Client{t, c}
}

// Send sends a text message.
func (k Client) Send(format string, args ...any) {
	k.T.Helper()
	if err := k.Conn.Write(k.T.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		k.T.Fatal(err)
	}
}

// Receive waits for a message that satisfies ok; what describes it in the failure message.
func (k Client) Receive(what string, ok func(binary bool, b []byte) bool) []byte {
	k.T.Helper()
	ctx, cancel := context.WithTimeout(k.T.Context(), receiveTime)
	defer cancel()
	for {
		kind, b, err := k.Conn.Read(ctx)
		if err != nil {
			k.T.Fatalf("waiting for %s: %v", what, err)
		}
		if ok(kind == websocket.MessageBinary, b) {
			return b
		}
	}
}

// ReceiveText waits for a text message that contains text.
func (k Client) ReceiveText(text string) []byte {
	k.T.Helper()
	return k.Receive(text, func(binary bool, b []byte) bool { return !binary && strings.Contains(string(b), text) })
}
