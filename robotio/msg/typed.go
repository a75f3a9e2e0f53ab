package msg

import "context"

// Handler returns a function that decodes a message into the variable that the function make returns, and calls f with
// it.
func (c *Codec[T]) Handler(make func() *T, f func(*T)) func([]byte) error {
	return func(b []byte) error {
		m := make()
		if err := c.Decode(b, m); err != nil {
			return err
		}
		f(m)
		return nil
	}
}

// ServiceCodec converts requests and responses of a service.
type ServiceCodec[Req, Resp any] struct {
	Def      *ServiceDefinition
	Request  *Codec[Req]
	Response *Codec[Resp]
}

// CompileService returns the codecs of a service. It returns an error if a Go type does not match the definition.
func CompileService[Req, Resp any](def *ServiceDefinition) (*ServiceCodec[Req, Resp], error) {
	c := &ServiceCodec[Req, Resp]{Def: def}
	var err error
	if c.Request, err = Compile[Req](def.Request); err != nil {
		return nil, err
	}
	c.Response, err = Compile[Resp](def.Response)
	return c, err
}

// Handler returns a function that decodes a request, calls f with it, and appends the encoded response to out. If f
// returns nil, that is a response of zeros, also with an error.
func (c *ServiceCodec[Req, Resp]) Handler(f func(context.Context, *Req) (*Resp, error)) func(ctx context.Context,
	request, out []byte) ([]byte, error) {
	return func(ctx context.Context, request, out []byte) ([]byte, error) {
		req := new(Req)
		if err := c.Request.Decode(request, req); err != nil {
			return out, err
		}
		resp, err := f(ctx, req)
		if resp == nil {
			resp = new(Resp)
		}
		return c.Response.Append(out, resp), err
	}
}
