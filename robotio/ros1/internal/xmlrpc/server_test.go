package xmlrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func serve(t *testing.T, h Handler) string {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := Serve(l, access.Rule{}.Guard("test", nil), h)
	t.Cleanup(func() { s.Close() })
	return "http://" + l.Addr().String() + "/"
}

func echo(_ context.Context, method string, args []any) (any, error) {
	switch method {
	case "echo":
		return append([]any{}, args...), nil
	case "fault":
		return nil, &Fault{7, "seven"}
	case "bad":
		return struct{}{}, nil
	}
	return nil, errors.New(method + ": no such method")
}

func TestCall(t *testing.T) {
	uri, ctx := serve(t, echo), t.Context()
	got, err := Call(ctx, uri, "echo", 1, "a")
	if diff := cmp.Diff([]any{1, "a"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	var f *Fault
	if _, err = Call(ctx, uri, "fault"); !errors.As(err, &f) || f.Code != 7 {
		t.Errorf("err = %v", err)
	}
	if _, err = Call(ctx, uri, "none"); !errors.As(err, &f) || !strings.Contains(f.Text, "no such method") {
		t.Errorf("err = %v", err)
	}
	if _, err = Call(ctx, uri, "bad"); !errors.As(err, &f) {
		t.Errorf("err = %v", err)
	}
}

func TestMulticall(t *testing.T) {
	uri := serve(t, echo)
	call := func(m string, args ...any) any { return map[string]any{"methodName": m, "params": args} }
	got, err := Call(t.Context(), uri, "system.multicall", []any{call("echo", 1), call("fault"), 3})
	want := []any{[]any{[]any{1}}, map[string]any{"faultCode": 7, "faultString": "seven"},
		map[string]any{"faultCode": 1, "faultString": "system.multicall: must have methodName and params, and no " +
			"multicall"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestServerRefuses(t *testing.T) {
	uri := serve(t, echo)
	if resp, err := http.Get(uri); err != nil || resp.StatusCode != http.StatusMethodNotAllowed {
		t.Error(resp, err)
	}
	resp := must.Get(http.Post(uri, "text/xml", strings.NewReader("garbage")))(t)
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "not an XML-RPC call") {
		t.Errorf("%s, %v", body, err)
	}
	resp, err = http.Post(uri, "text/xml", io.LimitReader(zeros{}, maxBody+10))
	if err == nil && resp.StatusCode != http.StatusBadRequest {
		t.Errorf("%d bytes: status %s", maxBody+10, resp.Status)
	}
}

// TestPagesAreRefused checks that calls from web pages do not reach the handler, and that calls of programs do, with
// the content types that they send.
func TestPagesAreRefused(t *testing.T) {
	called := 0
	uri := serve(t, func(context.Context, string, []any) (any, error) { called++; return 1, nil })
	for _, c := range []struct {
		origin, host, contentType string
		status                    int
	}{
		{"http://evil.example", "", "text/plain;charset=UTF-8", http.StatusForbidden},
		{"http://evil.example", "", "text/xml", http.StatusForbidden},
		{"null", "", "", http.StatusForbidden}, // a blob without a type, in a sandbox
		{"http://evil.local", "evil.local:11311", "text/plain", http.StatusForbidden},
		// a page of the same name, in a browser that omits Origin
		{"", "evil.example:11311", "text/xml", http.StatusForbidden},
		{"", "", "text/plain", http.StatusUnsupportedMediaType}, // a form in such a browser
		{"", "", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
		{"", "", "multipart/form-data; boundary=x", http.StatusUnsupportedMediaType},
		{"", "", "text/xml", http.StatusOK}, // rospy, roscpp, rosjava, goroslib, Foxglove
		{"", "", "Text/XML; charset=utf-8", http.StatusOK},
		{"", "", "application/xml", http.StatusOK},
		{"", "", "", http.StatusOK},
		{"http://localhost:3000", "", "text/xml", http.StatusOK},
	} {
		body := must.Get(encodeCall("registerPublisher", []any{"/evil"}))(t)
		req := must.Get(http.NewRequest("POST", uri, bytes.NewReader(body)))(t)
		req.Host = c.host
		for k, v := range map[string]string{"Origin": c.origin, "Content-Type": c.contentType} {
			if v != "" {
				req.Header.Set(k, v)
			}
		}
		called = 0
		resp := must.Get(http.DefaultClient.Do(req))(t)
		resp.Body.Close()
		if want := c.status == http.StatusOK; resp.StatusCode != c.status || (called == 1) != want {
			t.Errorf("%+v: status %d, handler called %d times", c, resp.StatusCode, called)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

func TestCallEndsWithContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, but nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := Call(ctx, "http://"+l.Addr().String(), "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v", err)
	}
}

// TestSlowLargeCalls checks that large calls that are sent slowly keep no other large call out.
func TestSlowLargeCalls(t *testing.T) {
	uri := serve(t, func(_ context.Context, _ string, args []any) (any, error) { return len(args[0].(string)), nil })
	addr := strings.Trim(strings.TrimPrefix(uri, "http:"), "/")
	for range 2 * maxLarge {
		c := must.Get(net.Dial("tcp", addr))(t)
		defer c.Close()
		must.Get(fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n<", smallBody+1))(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), readTime/2) // the slow calls take readTime
	defer cancel()
	if n, err := Call(ctx, uri, "x", strings.Repeat("x", 2*smallBody)); err != nil || n != 2*smallBody {
		t.Errorf("got %v, %v, want %d", n, err, 2*smallBody)
	}
}
