package ros1

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msgdef"
)

// ServiceHeader is what a provider says about its service.
type ServiceHeader struct{ Type, MD5 string }

// ProbeService asks the provider of the service name for its type. It fails with ErrNoService where nobody provides
// it, and when ctx ends.
func ProbeService(ctx context.Context, n *Node, name string) (ServiceHeader, error) {
	full, err := n.resolve(name)
	if err != nil {
		return ServiceHeader{}, n.errorf("service: %w", err)
	}
	conn, _, theirs, err := n.dialService(ctx, header{"service": full, "md5sum": "*", "probe": "1"})
	if err != nil {
		return ServiceHeader{}, n.errorf("service %s: %w", full, errors.Join(ctx.Err(), err))
	}
	n.untrack(conn)
	return ServiceHeader{theirs["type"], theirs["md5sum"]}, nil
}

// CallRaw calls the service name once with an encoded request and returns the encoded response. It fails as Call does.
func CallRaw(ctx context.Context, n *Node, name string, request []byte) ([]byte, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	b, err := n.callRaw(ctx, full, request)
	if err != nil {
		return nil, n.errorf("service %s: %w", full, err)
	}
	return b, nil
}

func (n *Node) callRaw(ctx context.Context, name string, request []byte) ([]byte, error) {
	conn, r, _, err := n.dialService(ctx, header{"service": name, "md5sum": "*"})
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	defer n.untrack(conn)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	bufs := net.Buffers{le.AppendUint32(nil, uint32(len(request))), request}
	if _, err := bufs.WriteTo(conn); err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	status, err := r.ReadByte()
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	b, err := readBlock(r, nil, n.maxMessage)
	if err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	if status == 0 {
		return nil, fmt.Errorf("provider fails: %s", b)
	}
	return b, nil
}

// ServeRaw answers calls of the service name, of the type def, with f, which gets the encoded request and appends the
// encoded response to out. For the rest it is as Serve.
func ServeRaw(n *Node, name string, def *msgdef.Service, f func(ctx context.Context, request, out []byte) ([]byte, error)) (*Service, error) {
	s, err := n.serveService(name, def, f)
	if err != nil {
		return nil, err
	}
	return &Service{s}, nil
}
