//! Privacy: DES in CBC mode (RFC 3414, 8) and AES in CFB mode (RFC 3826), over a whole PDU.

use super::protocol::PrivacyProtocol;
use super::secret::Secret;
use aes::cipher::{
    Array, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, KeyInit,
    consts::{U8, U16},
};
use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
use des::Des;
use zeroize::Zeroizing;

/// Bytes of the salt that a message carries.
pub(crate) const SALT_BYTES: usize = 8;
const DES_BLOCK_BYTES: usize = 8;

/// An expanded key.
pub(crate) enum Cipher {
    Des(Box<DesKey>),
    Aes128(Box<Aes128Enc>),
    Aes192(Box<Aes192Enc>),
    Aes256(Box<Aes256Enc>),
}

/// A key of DES, and what its initial vectors are made from.
pub(crate) struct DesKey {
    cipher: Des,
    before_vector: Zeroizing<[u8; DES_BLOCK_BYTES]>,
}

/// The input that makes each message's initial vector unique.
#[derive(Clone, Copy)]
pub(crate) struct Nonce {
    pub(crate) boots: u32,
    pub(crate) time: u32,
    pub(crate) salt: [u8; SALT_BYTES],
}

impl Cipher {
    /// `None` if the key is shorter than the protocol needs.
    pub(crate) fn new(protocol: PrivacyProtocol, key: &Secret) -> Option<Cipher> {
        let key = key.reveal().get(..protocol.key_bytes())?;
        Some(match protocol {
            PrivacyProtocol::Des => {
                let (key, before_vector) = key.split_at_checked(DES_BLOCK_BYTES)?;
                let before_vector = Zeroizing::new(before_vector.try_into().ok()?);
                let cipher = Des::new_from_slice(key).ok()?;
                Cipher::Des(Box::new(DesKey { cipher, before_vector }))
            }
            PrivacyProtocol::Aes128 => Cipher::Aes128(Box::new(KeyInit::new_from_slice(key).ok()?)),
            PrivacyProtocol::Aes192 | PrivacyProtocol::Aes192Reeder => {
                Cipher::Aes192(Box::new(KeyInit::new_from_slice(key).ok()?))
            }
            PrivacyProtocol::Aes256 | PrivacyProtocol::Aes256Reeder => {
                Cipher::Aes256(Box::new(KeyInit::new_from_slice(key).ok()?))
            }
        })
    }

    /// The salt of a message. `counter` must not come twice while `boots` and the key stay the same.
    pub(crate) fn salt(&self, boots: u32, counter: u64) -> [u8; SALT_BYTES] {
        match self {
            Cipher::Des(_) => (u64::from(boots) << 32 | counter & 0xffff_ffff).to_be_bytes(),
            _ => counter.to_be_bytes(),
        }
    }

    /// What the length of a text must be a multiple of.
    pub(crate) fn block_bytes(&self) -> usize {
        match self {
            Cipher::Des(_) => DES_BLOCK_BYTES,
            _ => 1,
        }
    }

    /// Encrypts whole blocks of [`Self::block_bytes`] in place; bytes behind the last whole block
    /// stay as they are.
    pub(crate) fn encrypt(&self, nonce: Nonce, text: &mut [u8]) {
        match self {
            Cipher::Des(key) => {
                let mut mode = cbc::Encryptor::inner_iv_init(&key.cipher, &key.vector(nonce));
                let (blocks, _) = Array::slice_as_chunks_mut(text);
                mode.encrypt_blocks(blocks);
            }
            Cipher::Aes128(key) => encrypt_aes(&**key, nonce, text),
            Cipher::Aes192(key) => encrypt_aes(&**key, nonce, text),
            Cipher::Aes256(key) => encrypt_aes(&**key, nonce, text),
        }
    }

    /// Decrypts in place, with the same rule for bytes behind the last whole block.
    pub(crate) fn decrypt(&self, nonce: Nonce, text: &mut [u8]) {
        match self {
            Cipher::Des(key) => {
                let mut mode = cbc::Decryptor::inner_iv_init(&key.cipher, &key.vector(nonce));
                let (blocks, _) = Array::slice_as_chunks_mut(text);
                mode.decrypt_blocks(blocks);
            }
            Cipher::Aes128(key) => decrypt_aes(&**key, nonce, text),
            Cipher::Aes192(key) => decrypt_aes(&**key, nonce, text),
            Cipher::Aes256(key) => decrypt_aes(&**key, nonce, text),
        }
    }
}

impl DesKey {
    fn vector(&self, nonce: Nonce) -> Array<u8, U8> {
        let mut vector = Array::from(*self.before_vector);
        for (octet, salt) in vector.iter_mut().zip(nonce.salt) {
            *octet ^= salt;
        }
        vector
    }
}

impl Nonce {
    fn vector(self) -> Array<u8, U16> {
        let high = u64::from(self.boots) << 32 | u64::from(self.time);
        let vector = u128::from(high) << 64 | u128::from(u64::from_be_bytes(self.salt));
        Array::from(vector.to_be_bytes())
    }
}

fn encrypt_aes<C>(key: &C, nonce: Nonce, text: &mut [u8])
where
    C: BlockCipherEncrypt<BlockSize = U16>,
{
    cfb_mode::Encryptor::inner_iv_init(key, &nonce.vector()).encrypt(text);
}

fn decrypt_aes<C>(key: &C, nonce: Nonce, text: &mut [u8])
where
    C: BlockCipherEncrypt<BlockSize = U16>,
{
    cfb_mode::Decryptor::inner_iv_init(key, &nonce.vector()).decrypt(text);
}
