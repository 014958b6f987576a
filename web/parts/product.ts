export const PRODUCT = 'Campanile';
