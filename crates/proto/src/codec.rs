//! How messages become bytes on a connection.

use std::marker::PhantomData;

use tonic::codec::{self, BufferSettings};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Room for one of our usual messages. It is taken for each call, both ways, and kept as long as the call lasts: with the usual 8 KiB most of
/// what a server with many open streams holds would be empty buffers. A longer message makes its buffer grow.
const BUFFER_BYTES: usize = 256;
/// How much is gathered before it is sent on; the usual value.
const YIELD_BYTES: usize = 32 * 1024;

/// Protocol Buffers with small buffers: what the generated clients and servers use.
#[derive(Debug)]
pub struct SmallBuffers<Encode, Decode> {
    messages: PhantomData<(Encode, Decode)>,
}

impl<Encode, Decode> Default for SmallBuffers<Encode, Decode> {
    fn default() -> Self {
        Self { messages: PhantomData }
    }
}

impl<Encode, Decode> codec::Codec for SmallBuffers<Encode, Decode>
where
    Encode: prost::Message + Send + 'static,
    Decode: prost::Message + Default + Send + 'static,
{
    type Encode = Encode;
    type Decode = Decode;
    type Encoder = ProstEncoder<Encode>;
    type Decoder = ProstDecoder<Decode>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<Encode, Decode>::raw_encoder(BufferSettings::new(BUFFER_BYTES, YIELD_BYTES))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<Encode, Decode>::raw_decoder(BufferSettings::new(BUFFER_BYTES, YIELD_BYTES))
    }
}
