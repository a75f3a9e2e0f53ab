package webtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Talker is a client that speaks a protocol by hand.
type Talker struct {
	T    testing.TB
	Conn *websocket.Conn
}

// hearTime is how long a talker waits for what must come; a guess, far more than a busy machine needs.
const hearTime = time.Minute

// Dial connects to a server at url, asking for subprotocols; the connection ends with the test.
func Dial(t testing.TB, url string, protocols ...string) Talker {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hearTime)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(64 << 20)
	t.Cleanup(func() { c.CloseNow() })
	return Talker{t, c}
}

// Say sends a text.
func (k Talker) Say(format string, args ...any) {
	k.T.Helper()
	if err := k.Conn.Write(k.T.Context(), websocket.MessageText, fmt.Appendf(nil, format, args...)); err != nil {
		k.T.Fatal(err)
	}
}

// Hear waits for a message that satisfies ok; what names it if it does not come.
func (k Talker) Hear(what string, ok func(binary bool, b []byte) bool) []byte {
	k.T.Helper()
	ctx, cancel := context.WithTimeout(k.T.Context(), hearTime)
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

// HearText waits for a text message that holds text.
func (k Talker) HearText(text string) []byte {
	k.T.Helper()
	return k.Hear(text, func(binary bool, b []byte) bool { return !binary && strings.Contains(string(b), text) })
}
